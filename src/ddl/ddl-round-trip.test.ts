import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDataType } from '../row/data-type.ts'
import { parseDataType } from './parse-data-type.ts'
import { parseScript } from './parse-script.ts'

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 })
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom("'", "''", '--', '/*', '*/', ';', "');", '\\', '\n', '`', '"', '/*+ OPTIONS('),
)

const column = fc.record({
  name,
  type: fc.constantFrom('BIGINT', 'STRING', 'DECIMAL(12, 2)', 'ROW<`a b` INT, `c` ARRAY<TIMESTAMP(3)>>'),
  nullable: fc.boolean(),
  comment: fc.option(text, { nil: undefined }),
})

const table = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 3 }),
  columns: fc.uniqueArray(column, { minLength: 1, maxLength: 5, selector: (it) => it.name }),
  keyLength: fc.nat(3),
  comment: fc.option(text, { nil: undefined }),
  options: fc.dictionary(text, text, { maxKeys: 4 }),
  style: fc.constantFrom({ space: ' ', end: ';' }, { space: '\n\t', end: '' }, { space: ' /* , ) */ ', end: '-- x' }),
})

test('names, types, comments and options come back as they were written, whatever is in them', () => {
  fc.assert(
    fc.property(table, ({ path, columns, keyLength, comment, options, style }) => {
      const key = columns.slice(0, keyLength).map((it) => it.name)
      const elements = columns.map(
        (it) =>
          `${quote(it.name)} ${it.type}${it.nullable ? '' : ' NOT NULL'}${it.comment === undefined ? '' : ` COMMENT ${literal(it.comment)}`}`,
      )
      if (key.length > 0) elements.push(`PRIMARY KEY (${key.map(quote).join(',')}) NOT ENFORCED`)
      const pairs = Object.entries(options).map((pair) => pair.map(literal).join(style.space === ' ' ? '=' : ' = '))
      const sql = [
        `CREATE TABLE ${path.map(quote).join('.')} (${elements.join(`,${style.space}`)})`,
        ...(comment === undefined ? [] : [`COMMENT ${literal(comment)}`]),
        `WITH (${pairs.join(',')})${style.end}`,
      ].join(style.space)
      const [read, ...more] = parseScript(sql).tables
      expect(more).toEqual([])
      expect(read?.path).toEqual(path)
      expect(read?.comment).toBe(comment)
      expect(Object.entries(read?.options ?? {})).toEqual(Object.entries(options))
      expect(read?.schema.columns).toEqual(
        columns.map((it) => ({
          name: it.name,
          type: parseDataType(it.type),
          nullable: it.nullable && !key.includes(it.name),
          comment: it.comment,
        })),
      )
      expect(read?.schema.primaryKey).toEqual(key.map((_, index) => index))
    }),
    { numRuns: 500 },
  )
})

test('a type that stands in a column is the type that stands alone', () => {
  const types = ['TIMESTAMP(3) WITH LOCAL TIME ZONE', 'INT ARRAY', 'DOUBLE PRECISION', 'MAP<STRING, ROW<a INT>>']
  const [read] = parseScript(`CREATE TABLE t (${types.map((type, index) => `c${index} ${type}`).join(', ')})`).tables
  expect(read?.schema.columns.map(({ type }) => formatDataType(type))).toEqual(
    types.map((type) => formatDataType(parseDataType(type))),
  )
})
