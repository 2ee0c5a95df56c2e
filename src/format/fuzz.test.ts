import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TidegateError } from '../errors.ts'
import type { InputRecord } from './format.ts'
import { LineSplitter } from './line-splitter.ts'
import { detectFormat, formats } from './registry.ts'
import { StreamDecoder } from './stream-decoder.ts'

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
    { numRuns: 1500 },
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

test('any records are recognised or refused by code', () => {
  fc.assert(
    fc.property(fc.array(anyJson, { minLength: 1, maxLength: 3 }), (values) => {
      try {
        detectFormat(values.map((value) => ({ value: JSON.stringify(value) })))
      } catch (error) {
        expect(error).toMatchObject({ code: 'FORMAT_UNKNOWN' })
      }
    }),
    { numRuns: 1500 },
  )
})
