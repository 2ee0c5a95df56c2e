import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TidegateError } from '../errors.ts'
import { parseScript } from './parse-script.ts'

function errorOf(sql: string): TidegateError {
  try {
    parseScript(sql)
  } catch (error) {
    if (error instanceof TidegateError) return error
    throw error
  }
  throw new Error(`was accepted: ${sql}`)
}

describe('an error shows', () => {
  test('line and column, the line, a caret and a hint', () => {
    const { code, message } = errorOf("CREATE TABLE t (\n  id BIGINT\n) WTIH ('connector' = 'x')")
    expect(code).toBe('DDL_SYNTAX')
    expect(message).toBe(
      [
        'line 3:3: expected WITH, COMMENT, PARTITIONED BY, DISTRIBUTED BY or ";", found "WTIH"',
        '  3 | ) WTIH (…',
        '    |   ^^^^',
        '  WTIH: did you mean WITH?',
      ].join('\n'),
    )
  })

  test('the end of the text, where something is missing', () => {
    expect(errorOf('CREATE TABLE t (\n  id BIGINT\n\n').message).toBe(
      ['line 2:12: expected "," or ")", found the end of the text', '  2 |   id BIGINT', '    |            ^'].join(
        '\n',
      ),
    )
  })

  test('a caret at the right place behind tabs', () => {
    expect(errorOf('CREATE TABLE t (\n\t\tid\tBIGNIT)').message.split('\n').slice(1, 3)).toEqual([
      '  2 | \t\tid\tBIGNIT)',
      '    | \t\t  \t^^^^^^',
    ])
  })

  test('a part of a long line, and its number in a long text', () => {
    const { message } = errorOf(
      `${'\n'.repeat(98)}CREATE TABLE t (${'a INT, '.repeat(50)}b IMT, ${'c INT, '.repeat(50)}d INT)`,
    )
    const [first, line = '', caret = ''] = message.split('\n')
    expect(first).toContain('line 99:')
    expect(line.length).toBeLessThan(140)
    expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('IMT')
  })

  test('the same under CRLF', () => {
    expect(errorOf('CREATE TABLE t (\r\n  id BIGNIT\r\n)').message).toContain(
      '\n  2 |   id BIGNIT\n    |      ^^^^^^\n',
    )
  })
})

describe('the hint says what was meant', () => {
  test.each([
    ['CRAETE TABLE t (a INT)', 'CRAETE: did you mean CREATE?'],
    ['CREATE TABEL t (a INT)', 'TABEL: did you mean TABLE?'],
    ['CREATE TABLE IF NOT EXSITS t (a INT)', 'EXSITS: did you mean EXISTS?'],
    ['CREATE TABLE t (a BIGNIT)', 'BIGNIT: did you mean BIGINT?'],
    ['CREATE TABLE t (a ARRAY<STRNG>)', 'STRNG: did you mean STRING?'],
    ['CREATE TABLE t (a TEXT)', 'TEXT: did you mean STRING?'],
    ['CREATE TABLE t (a jsonb)', 'jsonb: did you mean JSON?'],
    ['CREATE TABLE t (a TIMESTAMPTZ)', 'TIMESTAMPTZ: did you mean TIMESTAMP_LTZ(p)?'],
    ['CREATE TABLE t (a TIMESTAMP WITH TIME ZONE)', 'write TIMESTAMP_LTZ, which is a moment in time'],
    ['CREATE TABLE t (a INT, PRIMARY KEY (a) NOT ENFROCED)', 'ENFROCED: did you mean ENFORCED?'],
    ['CREATE TABLE t (id INT, PRIMARY KEY (idd) NOT ENFORCED)', 'idd: did you mean id?'],
    ['CREATE TABLE t (a INT b INT)', 'is a comma missing before it?'],
    ["CREATE TABLE t (a INT) WITH ('k' = 'v' 'l' = 'w')", 'is a comma missing before it?'],
    ["CREATE TABLE t (a INT) WITH ('k' = 'v',)", 'remove the comma before it'],
    ['CREATE TABLE t (a INT,)', 'remove the comma before it'],
    ["CREATE TABLE t (a INT) WITH ('k' 'v')", "an option is written 'name' = 'value'"],
    ["CREATE TABLE t (a INT) WITH ('k' = 5)", "text stands in single quotes: '…'"],
    ["CREATE TABLE t (a INT) WITH (k = 'v')", "text stands in single quotes: '…'"],
    ['CREATE TABLE t (a INT) WITH ("k" = \'v\')', "text stands in single quotes: '…'"],
    ['CREATE TABLE t (a INT) WITH (‘k’ = ‘v’)', "these are typographic quotes: text stands in '…', names in `…`"],
    ['CREATE TABLE t (a INT DEFAULT 3)', "Flink's CREATE TABLE has no DEFAULT: leave it out, the store keeps its own"],
    ["CREATE TABLE t (a INT) TBLPROPERTIES ('k' = 'v')", 'TBLPROPERTIES is Spark SQL: write WITH'],
    ["CREATE TABLE t (a INT) COMENT 'x'", 'COMENT: did you mean COMMENT?'],
    [
      'INSERT INTO t SELECT 1 ON CONFLICT DO NOTING',
      'the clause is ON CONFLICT DO ERROR, DO NOTHING or DO DEDUPLICATE, without columns',
    ],
    [
      'INSERT INTO t SELECT 1 ON CONFLICT (id) DO NOTHING',
      'the clause is ON CONFLICT DO ERROR, DO NOTHING or DO DEDUPLICATE, without columns',
    ],
  ])('%s', (sql, hint) => {
    const error = errorOf(sql)
    expect(error.message.split('\n').at(-1)).toBe(`  ${hint}`)
  })
})

describe('the place is that of the fault', () => {
  test.each([
    ['CREATE TABLE t (a INT, `a` STRING)', '1:24', 'the column a is declared twice'],
    ['CREATE TABLE t (a INT, a AS 1)', '1:24', 'the column a is declared twice'],
    [
      'CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, b INT,\n PRIMARY KEY (b) NOT ENFORCED)',
      '2:2',
      'two primary keys',
    ],
    ['CREATE TABLE t (a INT, PRIMARY KEY (a, a) NOT ENFORCED)', '1:40', 'a is in the PRIMARY KEY twice'],
    ['CREATE TABLE t (a INT, PRIMARY KEY NOT ENFORCED)', '1:24', 'PRIMARY KEY needs its columns'],
    ['CREATE TABLE t (a INT, b AS 1, PRIMARY KEY (b) NOT ENFORCED)', '1:45', 'b is in the PRIMARY KEY but is computed'],
    ['CREATE TABLE t (a INT) PARTITIONED BY (c)', '1:40', 'c is in the PARTITIONED BY but is no column'],
    ["CREATE TABLE t (a INT) WITH ('k' = 'v', 'k' = 'v')", '1:41', 'the option k is given twice'],
    ['CREATE TABLE t (a INT); CREATE TABLE t (b INT)', '1:38', 'the table t is created twice'],
    ['CREATE TABLE c.d.t (a AS 1)', '1:14', 'the table c.d.t has no column to write'],
    ['CREATE TABLE t', '1:14', 'the table t has no column to write'],
    ['CREATE TABLE t (a ROW<x INT, x INT>)', '1:19', 'two fields of this ROW have the same name'],
    ['CREATE TABLE t (a DECIMAL(39, 2))', '1:19', 'the precision of DECIMAL must be 1 to 38'],
    ['CREATE TABLE t (a DECIMAL(5, 6))', '1:19', 'the scale of DECIMAL must be 0 to its precision, 5'],
    ['CREATE TABLE t (a DECIMAL(5, 2, 1))', '1:19', 'DECIMAL takes at most 2 numbers'],
    ['CREATE TABLE t (a TIMESTAMP(10))', '1:19', 'the precision of TIMESTAMP must be 0 to 9'],
    ['CREATE TABLE t (a CHAR(0))', '1:19', 'the length of CHAR must be 1 to 2147483647'],
    ['CREATE TABLE t (a BIGINT(20))', '1:19', 'BIGINT takes no number in parentheses'],
    ['CREATE TABLE t (a INT WITHOUT TIME ZONE)', '1:19', 'INT takes no time zone'],
    ['CREATE TABLE t (a VARCHAR(MAX))', '1:27', 'expected a whole number'],
    ['CREATE TABLE t (a MAP<INT>)', '1:26', 'expected ","'],
    ['CREATE TABLE t (a ARRAY<INT)', '1:28', 'expected ">"'],
    ['CREATE TABLE t (a AS )', '1:22', 'expected an expression'],
    ['INSERT INTO t;', '1:14', 'expected SELECT or VALUES'],
    ['INSERT INTO t SELECT (1, [2) FROM s;', '1:26', 'this "[" is never closed'],
    ['INSERT INTO t SELECT (1 FROM s; SET x = 1', '1:22', 'this "(" is never closed'],
    ['INSERT INTO t SELECT 1) FROM s', '1:23', 'expected a statement'],
    ["CREATE TABLE t (a INT) WITH ('k' = 'v", '1:36', "the text that begins here is never closed by '"],
    ['CREATE TABLE `t (a INT)', '1:14', 'the name that begins here is never closed by `'],
    ['CREATE TABLE t (a INT) /* x', '1:24', 'the comment that begins here is never closed by */'],
  ])('%s', (sql, place, message) => {
    const error = errorOf(sql)
    expect(error.message).toContain(`line ${place}: `)
    expect(error.message).toContain(message)
  })
})

describe('what is valid but not for here is refused with a way out', () => {
  test.each([
    ['CREATE TABLE t (a INT) LIKE s', 'write the columns of the other table here'],
    ["CREATE TABLE t WITH ('k' = 'v') AS SELECT 1", 'write the columns here and INSERT INTO … SELECT below'],
    ['ALTER TABLE t ADD b INT', 'write the change into the CREATE TABLE'],
    ['CREATE TABLE t (a MULTISET<INT>)', 'write it as ARRAY or MAP'],
    ['CREATE TABLE t (a INT MULTISET)', 'write it as ARRAY or MAP'],
    ["CREATE TABLE t (a RAW('x', 'y'))", 'write it as BYTES or STRING'],
    ['CREATE TABLE t (a INTERVAL DAY(3) TO SECOND(3))', 'write it as BIGINT or STRING'],
    [
      'CREATE TABLE t (a INT); INSERT INTO t SELECT 1 ON CONFLICT DO ERROR; INSERT INTO t SELECT 2',
      'a table has one policy: give each INSERT the same clause',
    ],
  ])('%s', (sql, hint) => {
    const error = errorOf(sql)
    expect(error.code).toBe('DDL_UNSUPPORTED')
    expect(error.message.split('\n').at(-1)).toBe(`  ${hint}`)
  })
})

const job = `SET 'x' = 'S3CR3TS3CR3T';
CREATE TABLE t (id BIGINT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'password' = 'S3CR3TS3CR3T', 'url' = 'jdbc:x://u:S3CR3TS3CR3T@h/db');
INSERT INTO t SELECT a FROM s WHERE b = 'S3CR3TS3CR3T' ON CONFLICT DO NOTHING;`

test('C2 option values and texts are not shown, wherever a character is lost or added', () => {
  fc.assert(
    fc.property(
      fc.nat(job.length - 1),
      fc.constantFrom('', "'", '(', ')', '=', ' ', ';', '"', '`', '/*'),
      (at, put) => {
        const text = messageOf(`${job.slice(0, at)}${put}${job.slice(at + 1)}`)
        expect(text).not.toContain('S3CR3T')
      },
    ),
    { numRuns: 2000 },
  )
})

test('every text is either read or refused with a place', () => {
  const word = fc.constantFrom(
    ...job.split(/\b/),
    'ROW',
    'ARRAY',
    '<',
    '>',
    'METADATA',
    'AS',
    'COMMENT',
    '/*+',
    '*/',
    '[',
  )
  const text = fc.oneof(
    fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(text, (sql) => {
      const message = messageOf(sql)
      expect(message === '' || /^line \d+:\d+: /.test(message)).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

/** Empty if the text is read. */
function messageOf(sql: string): string {
  try {
    parseScript(sql)
    return ''
  } catch (error) {
    if (error instanceof TidegateError) return error.message
    throw error
  }
}
