import { expect, test } from 'vitest'
import type { ChangelogElement } from '../changelog/element.ts'
import { TidegateError } from '../errors.ts'
import { brief } from '../testing/decode-all.ts'
import { StreamDecoder, type StreamDecoderOptions } from './stream-decoder.ts'

function run(options: StreamDecoderOptions, values: readonly (string | object | null)[]) {
  const decoder = new StreamDecoder(options)
  const elements: ChangelogElement[] = []
  const emit = (element: ChangelogElement) => void elements.push(element)
  for (const [index, value] of values.entries()) decoder.decode({ value, record: index + 1 }, emit)
  decoder.end(emit)
  return { decoder, elements: brief(elements) }
}

const insert = { op: '+I', data: { id: 1 } }

test('the format is found out from the first records, and none of them is lost', () => {
  const heartbeat = { ts_ms: 1 }
  const { decoder, elements } = run({}, [heartbeat, { op: 'c', after: { id: 1 } }])
  expect(decoder.format?.name).toBe('debezium-json')
  expect(elements).toEqual(['+I {"id":1}'])
})

test('a format that is not recognised is given up after some records, or at the end', () => {
  expect(() => run({}, [{ a: 1 }])).toThrow('is not recognised')
  expect(() => run({}, Array(20).fill({ a: 1 }))).toThrow('is not recognised')
  expect(run({}, []).elements).toEqual([])
})

test('the options of the format are checked before its first record', () => {
  expect(() => new StreamDecoder({ format: 'debezium-json', options: { tombstones: 'x' } })).toThrow(
    'debezium-json.tombstones',
  )
  expect(() => new StreamDecoder({ format: 'odd' })).toThrow('there is no format named')
})

test('how groups end is what the decoder says', () => {
  expect(new StreamDecoder({}).groupEnd).toBeUndefined()
  expect(new StreamDecoder({ format: 'debezium-json' }).groupEnd).toBe('next-id')
  const options = { 'provide.transaction.metadata': 'true' }
  expect(new StreamDecoder({ format: 'debezium-json', options }).groupEnd).toBe('marker')
})

test('a record that cannot be read fails, is skipped and counted, or is handed over', () => {
  const values = [insert, '{"op"', insert]
  expect(() => run({ format: 'changelog-json' }, values)).toThrow('line 2 is not JSON')
  for (const options of [{ onMalformed: 'skip' }, { options: { 'ignore-parse-errors': 'true' } }] as const) {
    const { decoder, elements } = run({ format: 'changelog-json', ...options }, values)
    expect(elements).toHaveLength(2)
    expect(decoder.malformedCount).toBe(1)
    expect(decoder.recordCount).toBe(3)
  }
  const handed: unknown[] = []
  const { elements } = run(
    { onMalformed: (error, record) => handed.push([error.code, record.record, record.value]) },
    values,
  )
  expect(elements).toHaveLength(2)
  expect(handed).toEqual([['INPUT_MALFORMED', 2, '{"op"']])
})

test('what a handler throws goes through', () => {
  const refuse = () => {
    throw new TidegateError('no', { code: 'INPUT_MALFORMED' })
  }
  expect(() => run({ format: 'changelog-json', onMalformed: refuse }, ['x'])).toThrow('no')
})
