import assert from 'node:assert/strict'
import type { Change } from '../../changelog/element.ts'
import { formatDataType } from '../../row/data-type.ts'
import { equalValues, type Value } from '../../row/value.ts'
import type { CaseContext } from '../case-context.ts'
import type { FreeCase } from './free-case.ts'
import { upserts } from './need.ts'

const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index)
const tricky = [
  '',
  ' ',
  ' blank at both ends ',
  'a',
  'A',
  'é',
  'e\u0301',
  '\u{1F600} \u{1F468}\u200D\u{1F469}',
  "it's",
  '"quoted" `ticked` [bracketed]',
  'back\\slash \\n \\. \\N',
  'tab\tnew\nline\r\nand \u0001',
  "'; DROP TABLE x; --",
  '$1 ? :name %s {{x}}',
  'null',
  'NULL',
  '{"a":1}',
  '{a,b}',
  '\uFFFD \uFFFF',
  'long'.repeat(20_000),
]

/** Canonical values at the limits of each type; every one must come back as it went, or its type be refused. */
const samples: readonly { readonly type: string; readonly values: readonly Value[] }[] = [
  { type: 'BOOLEAN', values: [true, false] },
  { type: 'TINYINT', values: [-128, -1, 0, 127] },
  { type: 'SMALLINT', values: [-32768, 0, 32767] },
  { type: 'INT', values: [-2147483648, 0, 2147483647] },
  {
    type: 'BIGINT',
    values: [-9223372036854775808n, -9007199254740993n, 0n, 9007199254740993n, 9223372036854775807n],
  },
  { type: 'FLOAT', values: [0, -1.5, 0.1, 16777216, 3.4028235e38, 1.4013e-45] },
  { type: 'DOUBLE', values: [0, -1.5, 0.1, 1e15 + 0.3, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53] },
  { type: 'DECIMAL(10, 0)', values: ['-9999999999', '0', '9999999999'] },
  { type: 'DECIMAL(12, 2)', values: ['-9999999999.99', '-0.01', '0.00', '0.10', '9999999999.99'] },
  {
    type: 'DECIMAL(38, 18)',
    values: [
      '-99999999999999999999.999999999999999999',
      '0.000000000000000001',
      '12345678901234567890.123456789012345678',
    ],
  },
  { type: 'CHAR(3)', values: ['abc', '\u{1F600}xy'] },
  { type: 'VARCHAR(10)', values: ['', 'ten chars!', '\u{1F600}'.repeat(10)] },
  { type: 'STRING', values: tricky },
  { type: 'BINARY(2)', values: [Uint8Array.of(0, 0), Uint8Array.of(255, 92)] },
  { type: 'VARBINARY(300)', values: [new Uint8Array(), everyByte] },
  { type: 'BYTES', values: [new Uint8Array(), Uint8Array.of(0), everyByte, new Uint8Array(70_000).fill(171)] },
  { type: 'DATE', values: ['1900-01-01', '1969-12-31', '1970-01-01', '2026-02-28', '2261-12-31'] },
  { type: 'TIME(0)', values: ['00:00:00', '23:59:59'] },
  { type: 'TIME(3)', values: ['00:00:00.000', '12:34:56.789'] },
  { type: 'TIME(6)', values: ['00:00:00.000001', '23:59:59.999999'] },
  { type: 'TIMESTAMP(0)', values: ['1970-01-01T00:00:00', '2261-12-31T23:59:59'] },
  { type: 'TIMESTAMP(3)', values: ['1900-01-01T00:00:00.000', '2026-03-29T02:30:00.123'] },
  {
    type: 'TIMESTAMP(6)',
    values: ['1969-12-31T23:59:59.999999', '2026-10-25T02:30:00.000001', '2261-12-31T23:59:59.999999'],
  },
  { type: 'TIMESTAMP(9)', values: ['2026-10-25T02:30:00.000000001', '2026-10-25T02:30:00.999999999'] },
  { type: 'TIMESTAMP_LTZ(3)', values: ['1970-01-01T00:00:00.000Z', '2026-03-29T01:30:00.123Z'] },
  {
    type: 'TIMESTAMP_LTZ(6)',
    values: ['1900-01-01T00:00:00.000001Z', '2026-10-25T00:30:00.123456Z', '2026-10-25T01:30:00.123456Z'],
  },
  { type: 'ARRAY<INT>', values: [[], [1, null, 3], [-2147483648]] },
  { type: 'ARRAY<BIGINT>', values: [[9007199254740993n, null]] },
  { type: 'ARRAY<STRING>', values: [[], ['', 'NULL', null, 'a,b', '"', '\\', '{}', ' ']] },
  { type: 'ARRAY<ARRAY<INT>>', values: [[], [[1, 2], [], [3]]] },
  { type: 'ARRAY<TIMESTAMP(3)>', values: [['2026-01-01T00:00:00.001', null]] },
  {
    type: 'MAP<STRING, INT>',
    values: [
      new Map(),
      new Map([
        ['', 0],
        ['__proto__', 1],
        ['a b', 2],
      ]),
    ],
  },
  {
    type: 'ROW<a INT, b STRING>',
    values: [
      [1, 'x'],
      [null, ''],
    ],
  },
  {
    type: 'JSON',
    values: [
      'null',
      '{}',
      '[]',
      '"text"',
      '12345678901234567890',
      '{"a":{"b":[1,2,{"c":null}]},"__proto__":1}',
      '[[1,2],[3]]',
    ],
  },
  { type: 'UUID', values: ['00000000-0000-0000-0000-000000000000', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'] },
]

/** Types that are used as keys, with values that only differ a little. */
const keySamples: readonly { readonly type: string; readonly values: readonly Value[] }[] = [
  { type: 'BIGINT', values: [9007199254740992n, 9007199254740993n, -9007199254740993n] },
  { type: 'DECIMAL(20, 2)', values: ['0.10', '0.11', '123456789012345678.10', '123456789012345678.11'] },
  { type: 'STRING', values: ['a', 'A', 'a ', 'é', 'e\u0301', '', '1', '01', '\u{1F600}', '\u{1F601}'] },
  { type: 'BYTES', values: [new Uint8Array(), Uint8Array.of(0), Uint8Array.of(0, 0), Uint8Array.of(48)] },
  { type: 'BOOLEAN', values: [true, false] },
  { type: 'DATE', values: ['2026-01-01', '2026-01-02'] },
  { type: 'TIMESTAMP(6)', values: ['2026-01-01T00:00:00.000001', '2026-01-01T00:00:00.000002'] },
  { type: 'TIMESTAMP_LTZ(3)', values: ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z'] },
  { type: 'UUID', values: ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf7'] },
]

/** Values that only some stores hold; they must come back exactly or be rejected, never changed. */
const doubtful: readonly { readonly name: string; readonly type: string; readonly value: Value }[] = [
  { name: 'text with NUL', type: 'STRING', value: 'a\0b' },
  { name: 'text with half of a surrogate pair', type: 'STRING', value: 'a\uD800b' },
  { name: 'DATE in the first year', type: 'DATE', value: '0001-01-01' },
  { name: 'DATE in the last year', type: 'DATE', value: '9999-12-31' },
  { name: 'DATE that the calendar skipped', type: 'DATE', value: '1582-10-10' },
  { name: 'TIMESTAMP in the first year', type: 'TIMESTAMP(0)', value: '0001-01-01T00:00:00' },
  { name: 'TIMESTAMP in the last year', type: 'TIMESTAMP(0)', value: '9999-12-31T23:59:59' },
  { name: 'FLOAT that is no number', type: 'FLOAT', value: Number.NaN },
  { name: 'FLOAT that is infinite', type: 'FLOAT', value: Number.NEGATIVE_INFINITY },
  { name: 'DOUBLE that is no number', type: 'DOUBLE', value: Number.NaN },
  { name: 'DOUBLE that is infinite', type: 'DOUBLE', value: Number.POSITIVE_INFINITY },
]

/** Values and types (rules C1, G7): what goes in comes out. */
export const valueCases: readonly FreeCase[] = [
  ...samples.map(
    ({ type, values }, index): FreeCase => ({
      id: `values-${index + 1}-${slug(type)}`,
      title: `C1 values of ${type} come back exactly`,
      run: async (context) => await roundTrip(context, type, values),
    }),
  ),
  ...keySamples.map(
    ({ type, values }): FreeCase => ({
      id: `keys-${slug(type)}`,
      title: `G7 keys of ${type} are told apart as their values are`,
      needs: [upserts],
      run: async (context) => await keysApart(context, type, values),
    }),
  ),
  ...doubtful.map(
    ({ name, type, value }): FreeCase => ({
      id: `doubtful-${slug(name)}`,
      title: `C1 a ${name} is kept exactly or rejected`,
      needs: [upserts],
      run: async (context) => await keptOrRejected(context, type, value),
    }),
  ),
  {
    id: 'nulls',
    title: 'C1 null is null in every type',
    run: async (context) => {
      const types = [...new Set(samples.map(({ type }) => type))].filter((type) => type !== 'TIMESTAMP(9)')
      const columns = types.map((type, index) => `c${index} ${type}`)
      if (!(await holds(context, types))) return
      const table = await context.table(`id INT, ${columns.join(', ')}, PRIMARY KEY (id) NOT ENFORCED`)
      const row = Object.fromEntries([['id', 1], ...columns.map((_, index) => [`c${index}`, null])])
      await context.write(table, [{ kind: '+I', row }])
      await context.expectRows(table, [row])
    },
  },
  {
    id: 'random-values',
    title: 'C1 random values of the scalar types come back exactly',
    run: async (context) => {
      const types = ['BOOLEAN', 'TINYINT', 'SMALLINT', 'INT', 'BIGINT', 'DOUBLE', 'DECIMAL(20, 5)', 'VARCHAR(40)']
      types.push('BYTES', 'DATE', 'TIMESTAMP(6)', 'TIMESTAMP_LTZ(6)')
      if (!(await holds(context, types))) return
      const columns = types.map((type, index) => `c${index} ${type}`).join(', ')
      const table = await context.table(`id INT, ${columns}, PRIMARY KEY (id) NOT ENFORCED`)
      const { randomRows } = await import('../value-arbitrary.ts')
      const rows = randomRows(table.schema, 60, 20261130).map(
        (row, id): Record<string, Value | null> => ({ ...row, id }),
      )
      await context.write(
        table,
        rows.map((row): Change => ({ kind: '+I', row })),
      )
      await context.expectRows(table, rows)
    },
  },
]

/** Types that the store cannot hold have cases of their own. */
async function holds(context: CaseContext, types: readonly string[]): Promise<boolean> {
  const { typeMapping } = context.harness.connector
  const columns = types.map((type, index) => `c${index} ${type}`).join(', ')
  return (await context.table(columns)).schema.columns.every(({ type }) => typeMapping.nativeType(type) !== undefined)
}

async function roundTrip(context: CaseContext, type: string, values: readonly Value[]): Promise<void> {
  const table = await context.table(`id INT, v ${type}, PRIMARY KEY (id) NOT ENFORCED`)
  const [, column] = table.schema.columns
  assert.ok(column !== undefined)
  if (context.harness.connector.typeMapping.nativeType(column.type) === undefined) {
    const error = await context.expectRefused(table, ['PLAN_REFUSED'])
    assert.match(error.message, /\bv\b/, `the refusal of ${formatDataType(column.type)} names the column`)
    return
  }
  const rows = values.map((v, id) => ({ id, v }))
  await context.write(
    table,
    rows.map((row): Change => ({ kind: '+I', row })),
  )
  await context.expectRows(table, rows)
}

/** What the store holds equal (`keyNormalizer`) is one key; everything else is told apart. */
async function keysApart(context: CaseContext, type: string, all: readonly Value[]): Promise<void> {
  const table = await context.table(`k ${type}, v INT, PRIMARY KEY (k) NOT ENFORCED`)
  const [column] = table.schema.columns
  assert.ok(column !== undefined)
  if (context.harness.connector.typeMapping.nativeType(column.type) === undefined) {
    await context.expectRefused(table, ['PLAN_REFUSED'])
    return
  }
  const normalize = context.harness.connector.typeMapping.keyNormalizer(column.type) ?? ((value) => value)
  const isSame = (a: Value, b: Value): boolean => equalValues(column.type, normalize(a), normalize(b))
  const values = all.filter((value, at) => all.findIndex((other) => isSame(other, value)) === at)
  for (const value of all) {
    const kept = values.find((other) => isSame(other, value))
    assert.equal(unpadded(value), unpadded(kept), 'a store may overlook blanks at the end of a key, and nothing else')
  }
  const rows = values.map((k, v) => ({ k, v }))
  const [first, ...rest] = rows
  assert.ok(first !== undefined)
  await context.write(
    table,
    rows.map((row): Change => ({ kind: '+I', row })),
  )
  await context.expectRows(table, rows)
  await context.write(table, [
    ...rest.map((row): Change => ({ kind: '+U', row: { ...row, v: row.v + 100 } })),
    { kind: '-D', row: first },
  ])
  await context.expectRows(
    table,
    rest.map((row) => ({ ...row, v: row.v + 100 })),
  )
  await context.write(
    table,
    all.map((k): Change => ({ kind: '+U', row: { k, v: 0 } })),
  )
  assert.equal((await context.rows(table)).length, values.length, 'keys that the store holds equal are one row')
}

function unpadded(value: Value | undefined): unknown {
  return typeof value === 'string' ? value.replace(/ +$/, '') : value
}

async function keptOrRejected(context: CaseContext, type: string, value: Value): Promise<void> {
  const table = await context.table(`id INT, v ${type}, PRIMARY KEY (id) NOT ENFORCED`, {
    'sink.failure-handler': 'skip',
  })
  const ordinary =
    { STRING: 'ordinary', DATE: '2026-01-01' }[type] ?? (typeof value === 'string' ? '2026-01-01T00:00:00' : 1.5)
  const rows = [
    { id: 1, v: ordinary },
    { id: 2, v: value },
    { id: 3, v: ordinary },
  ]
  const { account } = await context.write(
    table,
    rows.map((row): Change => ({ kind: '+I', row })),
  )
  await context.expectRows(
    table,
    rows.filter(({ id }) => id !== 2 || account.rejected === 0),
  )
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')
}
