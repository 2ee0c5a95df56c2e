import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChangelogElement } from '../changelog/element.ts'
import { parseDataType } from '../ddl/parse-data-type.ts'
import { TidegateError } from '../errors.ts'
import { createRowReader } from '../row/row-reader.ts'
import { createSchema } from '../row/schema.ts'
import { ValueFault } from '../row/value-fault.ts'
import type { InputRecord } from './format.ts'
import { LineSplitter } from './line-splitter.ts'
import { detectFormat, formats } from './registry.ts'
import { StreamDecoder } from './stream-decoder.ts'

const fixtures = new URL('./fixtures/', import.meta.url)

/** Columns of the samples, with types that make the most of their values. */
const anySchema = createSchema(
  Object.entries({
    ...{
      id: 'BIGINT',
      customer: 'STRING',
      amount: 'DECIMAL(10, 2)',
      qty: 'INT',
      note: 'JSON',
      created_at: 'TIMESTAMP(6)',
    },
    ...{
      price: 'DECIMAL(12, 2)',
      d: 'DATE',
      t: 'TIME(6)',
      tz: 'TIMESTAMP_LTZ(6)',
      u: 'UUID',
      bin: 'BYTES',
      ok: 'BOOLEAN',
    },
    ...{ h: 'MAP<STRING, INT>', data: 'ARRAY<ROW<a INT>>', ratio: 'DOUBLE', bits: 'FLOAT' },
  }).map(([name, type]) => ({ name, type: parseDataType(type), nullable: true })),
  ['id'],
)

/** Members that formats look at, with values that are right, nearly right and wrong. */
const anyMember = fc.constantFrom(
  ...['op', 'op_type', 'type', 'data', 'old', 'row', 'before', 'after', 'source', 'transaction', 'schema', 'payload'],
  ...[
    'key',
    'value',
    'topic',
    'partition',
    'offset',
    'headers',
    'message',
    'tag',
    'relation',
    'relations',
    'new',
    'lsn',
  ],
  ...[
    'commitLsn',
    'commitEndLsn',
    'mz_timestamp',
    'mz_diff',
    'mz_state',
    'mz_progressed',
    'rw_timestamp',
    'xid',
    'commit',
  ],
  ...[
    'pkNames',
    'primary_keys',
    'primary_key_columns',
    'keyColumns',
    'columns',
    'table',
    'group',
    'position',
    'watermark',
  ],
  ...[
    'groupEnd',
    'truncate',
    'status',
    'id',
    'event_count',
    'data_collections',
    'fields',
    'field',
    'name',
    'parameters',
  ],
  ...['__op', '__deleted', '__proto__', 'constructor', 'toString', 'isDdl', 'sql', 'ddl', 'ts_ms', 'schema', 'scale'],
)
const anyScalar = fc.constantFrom<unknown>(
  ...[
    'c',
    'u',
    'd',
    'r',
    't',
    'm',
    'I',
    'U',
    'D',
    '+I',
    '-U',
    '+U',
    '-D',
    'INSERT',
    'UPDATE',
    'DELETE',
    'insert',
    'update',
  ],
  ...['begin', 'commit', 'relation', 'truncate', 'upsert', 'delete', 'Insert', 'UpdateDelete', 'END', 'BEGIN', 'x', ''],
  ...[
    'io.debezium.time.MicroTime',
    'io.debezium.time.Date',
    'org.apache.kafka.connect.data.Decimal',
    'bytes',
    'struct',
  ],
  ...[0, 1, -1, 1.5, 1e300, 9007199254740992, true, false, null],
)
const { value: anyJson } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, anyScalar, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc
    .array(fc.tuple(anyMember, tie('value')), { maxLength: 7 })
    .map((members) => Object.fromEntries(members) as Record<string, unknown>),
}))

function decodeAnything(name: string, records: readonly InputRecord[]): { told: number; malformed: number } {
  let told = 0
  const decoder = new StreamDecoder({
    format: name,
    primaryKey: ['id'],
    onMalformed: (error) => {
      expect(error).toBeInstanceOf(TidegateError)
      expect(error.code).toBe('INPUT_MALFORMED')
    },
  })
  const emit = () => void told++
  for (const record of records) decoder.decode(record, emit)
  decoder.end(emit)
  return { told, malformed: decoder.malformedCount }
}

test.each(formats.map(({ name }) => name))('%s: any JSON is decoded or refused by code, never a crash', (name) => {
  fc.assert(
    fc.property(fc.array(anyJson, { maxLength: 6 }), fc.boolean(), (values, asText) => {
      const records = values.map((value, index): InputRecord => {
        const isObject = typeof value === 'object' && value !== null
        return { value: isObject && !asText ? value : JSON.stringify(value), record: index + 1 }
      })
      decodeAnything(name, records)
    }),
    { numRuns: 800 },
  )
})

test.each(formats.map(({ name }) => name))('%s: any bytes are decoded or refused by code', (name) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const records: InputRecord[] = []
      const splitter = new LineSplitter()
      splitter.push(bytes, (record) => records.push(record))
      splitter.end((record) => records.push(record))
      const { told, malformed } = decodeAnything(name, records)
      expect(told + malformed).toBeGreaterThanOrEqual(records.length === 0 ? 0 : 1)
    }),
  )
})

test.each(formats.map(({ name }) => name))('%s: a record that is refused shows nothing of its content', (name) => {
  const secret = 'Zq7secretZq7'
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = JSON.stringify(value, (_, inner: unknown) => (inner === 'x' || inner === 1.5 ? secret : inner))
      const decoder = new StreamDecoder({ format: name, primaryKey: ['id'] })
      try {
        for (const end of [0, 1, 2]) decoder.decode({ value: text.slice(0, text.length - end) }, () => {})
      } catch (error) {
        expect(String(error)).not.toContain(secret)
      }
    }),
    { numRuns: 500 },
  )
})

/** Real records of each format, with any node of theirs replaced. */
const samples = readdirSync(fixtures)
  .filter((name) => name.endsWith('.expected.json'))
  .map((name) => {
    const { format } = JSON.parse(readFileSync(new URL(name, fixtures), 'utf8')) as { format: string }
    const lines = readFileSync(new URL(name.replace('.expected.json', '.ndjson'), fixtures), 'utf8')
      .trim()
      .split('\n')
    return [name.replace('.expected.json', ''), format, lines] as const
  })

test.each(samples)(
  '%s: real records with a node replaced are decoded and read, or refused by code',
  (_, format, lines) => {
    const reader = createRowReader(anySchema)
    const mutation = fc.record({ line: fc.nat(lines.length - 1), node: fc.nat(), value: anyJson })
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const decoder = new StreamDecoder({ format, primaryKey: ['id'], onMalformed: 'skip' })
        const emit = (element: ChangelogElement) => {
          if (!('kind' in element)) return
          try {
            reader.read(element.row)
          } catch (error) {
            expect(error).toBeInstanceOf(ValueFault)
          }
        }
        for (const [index, line] of lines.entries()) {
          let value: unknown = JSON.parse(line)
          for (const { node, value: replacement } of mutations.filter((each) => each.line === index)) {
            value = replaceNode(value, node, replacement)
          }
          if (typeof value === 'object') decoder.decode({ value: JSON.stringify(value), record: index + 1 }, emit)
        }
        decoder.end(emit)
      }),
      { numRuns: 200 },
    )
  },
)

/** The value with its n-th node (depth first, counted in a circle) replaced. */
function replaceNode(value: unknown, n: number, replacement: unknown): unknown {
  let left = n % countNodes(value)
  const visit = (node: unknown): unknown => {
    if (left-- === 0) return replacement
    if (Array.isArray(node)) return node.map(visit)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, visit(inner)]))
  }
  return visit(value)
}

function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((count, inner) => count + countNodes(inner), 1)
}

test('any records are recognised or refused by code', () => {
  fc.assert(
    fc.property(fc.array(anyJson, { minLength: 1, maxLength: 3 }), (values) => {
      try {
        detectFormat(values.map((value) => ({ value: JSON.stringify(value) })))
      } catch (error) {
        expect(error).toMatchObject({ code: 'FORMAT_UNKNOWN' })
      }
    }),
    { numRuns: 800 },
  )
})
