import { describe, expect, test } from 'vitest'
import type { Change, ChangelogElement } from '../changelog/element.ts'
import { parseDataType } from '../ddl/parse-data-type.ts'
import { createRowReader } from '../row/row-reader.ts'
import { createSchema } from '../row/schema.ts'
import { brief, decodeAll } from '../testing/decode-all.ts'

type Options = Readonly<Record<string, string>>

const decode = (inputs: (string | object)[], options: Options = {}, primaryKey?: string[]) =>
  decodeAll('debezium-json', inputs, { options, primaryKey })

/** The value that a column of the given type takes from a created row. */
function read(type: string, value: unknown, options: Options = {}, source: object = {}): unknown {
  const [change] = decode([{ op: 'c', before: null, after: { c: value }, source }], options)
  const schema = createSchema([{ name: 'c', type: parseDataType(type), nullable: true }], [])
  const { row, encoding } = change as Change
  return createRowReader(schema, encoding).read(row)[0]
}

const pairsOf = (elements: readonly ChangelogElement[]) => elements.map((element) => (element as Change).pair)

describe('images', () => {
  test('an update with a complete before image gives both halves as a pair', () => {
    const elements = decode([{ op: 'u', before: { id: 1, a: 2 }, after: { id: 1, a: 3 } }])
    expect(brief(elements)).toEqual(['-U {"id":1,"a":2}', '+U {"id":1,"a":3}'])
    expect(pairsOf(elements)).toEqual([1, 1])
    expect(elements.map((element) => (element as Change).more)).toEqual([true, undefined])
  })

  test('an incomplete before image gives no -U', () => {
    expect(brief(decode([{ op: 'u', before: { id: 1 }, after: { id: 1, a: 3 } }]))).toEqual(['+U {"id":1,"a":3}'])
    const toasted = { op: 'u', before: { id: 1, a: '__debezium_unavailable_value' }, after: { id: 1, a: 'x' } }
    expect(brief(decode([toasted]))).toEqual(['+U {"id":1,"a":"x"}'])
  })

  test('an unavailable value is absent in each of its forms', () => {
    const placeholder = '__debezium_unavailable_value'
    const bytes = Buffer.from(placeholder)
    const forms = [
      placeholder,
      bytes.toString('base64'),
      bytes.toString('hex'),
      [placeholder],
      { [placeholder]: placeholder },
    ]
    for (const value of forms) {
      expect(brief(decode([{ op: 'c', after: { id: 1, a: value } }]))).toEqual(['+I {"id":1}'])
    }
    const named = decode([{ op: 'c', after: { id: 1, a: 'gone' } }], { 'unavailable.value.placeholder': 'gone' })
    expect(brief(named)).toEqual(['+I {"id":1}'])
  })

  test('bytes of an embedded schema may be unavailable too', () => {
    const row = { type: 'struct', fields: [{ field: 'b', type: 'bytes' }] }
    const value = {
      schema: { fields: [{ ...row, field: 'after' }] },
      payload: { op: 'c', after: { b: Buffer.from('__debezium_unavailable_value').toString('base64') } },
    }
    expect(brief(decode([value]))).toEqual(['+I {}'])
  })

  test('a delete without before image is known by its key', () => {
    const value = { op: 'd', before: null, after: null }
    expect(brief(decode([{ key: { id: 1 }, value, topic: 't' }]))).toEqual(['-D {"id":1}'])
    expect(brief(decode([{ key: 1, value, topic: 't' }], {}, ['id']))).toEqual(['-D {"id":1}'])
    expect(() => decode([{ key: 1, value, topic: 't' }])).toThrow('is a delete that names no key')
    expect(() => decode([value])).toThrow('is a delete that names no key')
  })
})

describe('values without a schema', () => {
  test.each([
    ['DECIMAL(12, 2)', 'A+g=', { 'decimal.handling.mode': 'precise' }, '10.00'],
    ['DECIMAL(12, 2)', 'A+g=', {}, '10.00'],
    ['DECIMAL(12, 2)', '10.00', {}, '10.00'],
    ['DECIMAL(12, 0)', '1000', { 'decimal.handling.mode': 'string' }, '1000'],
    ['DECIMAL(12, 2)', { scale: 2, value: 'A+g=' }, {}, '10.00'],
    ['BYTES', 'AAEC/w==', {}, Buffer.from([0, 1, 2, 255])],
    ['BYTES', 'AAEC_w==', { 'binary.handling.mode': 'base64-url-safe' }, Buffer.from([0, 1, 2, 255])],
    ['BYTES', '000102ff', { 'binary.handling.mode': 'hex' }, Buffer.from([0, 1, 2, 255])],
    ['DATE', 20089, {}, '2025-01-01'],
    ['TIME(3)', 3723004, {}, '01:02:03.004'],
    ['TIME(6)', 3723000004, {}, '01:02:03.000004'],
    ['TIME(0)', 3723000000, { 'time.precision.mode': 'adaptive_time_microseconds' }, '01:02:03'],
    ['TIMESTAMP(3)', 1735689600123, {}, '2025-01-01T00:00:00.123'],
    ['TIMESTAMP(6)', 1735689600123456, {}, '2025-01-01T00:00:00.123456'],
    ['TIMESTAMP(6)', 1735689600123, { 'time.precision.mode': 'connect' }, '2025-01-01T00:00:00.123000'],
    [
      'TIMESTAMP(6)',
      '2025-01-01T00:00:00.123456Z',
      { 'time.precision.mode': 'isostring' },
      '2025-01-01T00:00:00.123456',
    ],
    ['TIMESTAMP_LTZ(6)', '2025-01-01T00:00:00.123456Z', {}, '2025-01-01T00:00:00.123456Z'],
  ] as const)('%s from %j with %j', (type, value, options, expected) => {
    expect(read(type, value, options)).toEqual(expected)
  })

  test('a decimal that could be digits or Base64 is refused, naming the option', () => {
    expect(() => read('DECIMAL(12, 0)', '1000')).toThrow('debezium-json.decimal.handling.mode')
  })

  test('MySQL counts TIME in microseconds whatever its precision', () => {
    expect(read('TIME(0)', 3723000000, {}, { connector: 'mysql' })).toBe('01:02:03')
  })
})

test('a value that its own schema does not allow is a fault of the record', () => {
  const schema = {
    fields: [{ field: 'after', fields: [{ field: 't', type: 'int64', name: 'io.debezium.time.MicroTime' }] }],
  }
  const value = { schema, payload: { op: 'c', after: { t: 86400000000 } } }
  expect(() => decode([value])).toThrow('line 1 does not fit its own schema: column t is not within a day')
})

describe('K6 a change of key', () => {
  const record = (value: object | null, headers: object = {}) => ({ topic: 's.t', key: { id: 1 }, value, headers })
  const removed = record({ op: 'd', before: { id: 1 }, source: { table: 't' } }, { '__debezium.newkey': { id: 2 } })
  const created = record({ op: 'c', after: { id: 2 }, source: { table: 't' } }, { '__debezium.oldkey': { id: 1 } })
  const plain = record({ op: 'c', after: { id: 3 }, source: { table: 't' } })

  test('is one pair, with the tombstone between its halves or without', () => {
    expect(pairsOf(decode([removed, record(null), created]))).toEqual([1, undefined, 1])
    expect(pairsOf(decode([removed, created]))).toEqual([1, 1])
  })

  test('whose second half does not follow is a delete like any other', () => {
    expect(pairsOf(decode([removed, plain, created]))).toEqual([undefined, undefined, undefined])
    expect(brief(decode([removed, plain]))).toEqual(['-D {"id":1}', '+I {"id":3}'])
    expect(brief(decode([removed]))).toEqual(['-D {"id":1}'])
  })
})

describe('B2 transactions', () => {
  const change = (id: string, table: string) => ({ op: 'c', after: { id: 1 }, transaction: { id }, source: { table } })
  const end = (id: string, ...counts: [string, number][]) => ({
    status: 'END',
    id,
    event_count: counts.reduce((sum, [, count]) => sum + count, 0),
    data_collections: counts.map(([name, count]) => ({ data_collection: name, event_count: count })),
  })
  const types = (inputs: object[], options: Options) =>
    decode(inputs, { 'provide.transaction.metadata': 'true', ...options }).map(({ type }) => type ?? 'change')

  test('the transaction is the group', () => {
    expect(decode([change('7', 't')])).toMatchObject([{ group: '7' }])
  })

  test('a group ends when END has come and as many changes as it counts, in either order', () => {
    expect(types([change('7', 'a'), change('7', 'b'), end('7', ['a', 1], ['b', 1])], {})).toEqual([
      'change',
      'change',
      'group-end',
    ])
    expect(types([change('7', 'a'), end('7', ['a', 1], ['b', 1]), change('7', 'b')], {})).toEqual([
      'change',
      'change',
      'group-end',
    ])
  })

  test('tables that the stream does not carry are not waited for', () => {
    const options = { 'transaction.collections': 'a' }
    expect(types([change('7', 'a'), end('7', ['a', 1], ['b', 9])], options)).toEqual(['change', 'group-end'])
  })
})

describe('records that are no row', () => {
  test('move the position on', () => {
    const at = { topic: 's.t', partition: 2, offset: 9 }
    const position = [{ type: 'position', position: { partition: 's.t-2', offset: 9 }, record: 1 }]
    expect(decode([{ ...at, value: { op: 'm', message: {} } }])).toEqual(position)
    expect(decode([{ ...at, value: { ts_ms: 5 } }])).toEqual(position)
    expect(decode([{ ...at, value: { status: 'BEGIN', id: '1', event_count: null } }])).toEqual(position)
    expect(decode([{ ...at, key: { id: 1 }, value: null }], { tombstones: 'ignore' })).toEqual(position)
  })

  test('report a change of the table, or are refused', () => {
    expect(decode([{ ddl: 'ALTER TABLE t', tableChanges: [] }])).toMatchObject([
      { type: 'schema-change', description: 'ALTER TABLE t' },
    ])
    expect(() => decode([{ a: 1 }])).toThrow('is no change of Debezium')
    expect(() => decode([{ op: 'x', after: {} }])).toThrow('has an "op" that Debezium does not know')
    expect(() => decode([{ op: 'c', after: 'secret' }])).toThrow(/^line 1 has a "after" that is no object$/)
  })
})

test('tables are named by their source, and a tombstone by what its topic carried', () => {
  const source = { schema: 'public', table: 'orders' }
  const elements = decode([
    { topic: 'x', value: { op: 'c', after: { id: 1 }, source } },
    { topic: 'x', key: { id: 1 }, value: null },
    { topic: 'shop.inventory.items', key: { id: 1 }, value: null },
    { op: 'c', after: { id: 1 }, source: { db: 'd', table: 't' } },
  ])
  expect(elements.map((element) => (element as Change).table)).toEqual([
    'public.orders',
    'public.orders',
    'inventory.items',
    'd.t',
  ])
})

test('options are checked', () => {
  expect(() => decode([], { 'decimal.handling.mod': 'precise' })).toThrow(
    'did you mean debezium-json.decimal.handling.mode?',
  )
  expect(() => decode([], { tombstones: 'drop' })).toThrow('use one of delete, ignore')
})

test('a flattened row without marks is an upsert under its own format name', () => {
  expect(brief(decodeAll('debezium-unwrapped', [{ id: 1, a: 2 }]))).toEqual(['+U {"id":1,"a":2}'])
})
