import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { formats } from '../format/registry.ts'
import { resolveOptions } from './resolve-options.ts'
import { formatNames, sharedOptions } from './shared-options.ts'

function resolve(given: Record<string, string>) {
  return resolveOptions(sharedOptions, { connector: 'x', ...given }).values
}

test('the defaults are those that the documentation promises', () => {
  const given = Object.entries(resolve({})).filter(([, value]) => value !== undefined && !(value instanceof Map))
  expect(Object.fromEntries(given)).toEqual({
    connector: 'x',
    'sink.create-table': 'never',
    'sink.not-null-enforcer': 'error',
    'sink.type-length-enforcer': 'error',
    'source.update-encoding': 'auto',
    'sink.ignore.update-before': 'auto',
    'sink.ignore.delete': false,
    'ignore-delete': false,
    'sink.delete.column': '__tidegate_deleted',
    'sink.tombstone.column': '__tidegate_deleted_at',
    'sink.delete.without-sequence': 'apply',
    'sink.buffer-flush.max-rows': 5000,
    'sink.buffer-flush.max-bytes': 8 * 1024 * 1024,
    'sink.buffer-flush.interval': 1000,
    'sink.buffer.max-bytes': 64 * 1024 * 1024,
    'sink.flush.align': 'none',
    'sink.parallelism': 1,
    'sink.shutdown-timeout': 30_000,
    'merge-engine': 'deduplicate',
    'sequence.field.sort-order': 'ascending',
    'sequence.tie': 'last-arrival',
    'partial-update.remove-record-on-delete': false,
    'partial-update.null-overwrites': false,
    'aggregation.remove-record-on-delete': false,
    'sink.upsert-materialize': 'auto',
    'sink.max-retries': 5,
    'sink.retry.interval': 200,
    'sink.retry.max-interval': 10_000,
    'sink.failure-handler': 'fail',
    'sink.failure-scope': 'row',
    'sink.delivery-guarantee': 'at-least-once',
    'sink.accept-duplicates': false,
    'state.backend': 'memory',
    'state.ttl': 0,
  })
})

describe('familiar names of other sinks mean what they meant there', () => {
  test.each([
    ['sink.bulk-flush.max-actions', '1000', 'sink.buffer-flush.max-rows', 1000],
    ['sink.batch-size', '1000', 'sink.buffer-flush.max-rows', 1000],
    ['batch.size', '3000', 'sink.buffer-flush.max-rows', 3000],
    ['max_batch_rows', '1024', 'sink.buffer-flush.max-rows', 1024],
    ['batching.count', '10', 'sink.buffer-flush.max-rows', 10],
    ['sink.bulk-flush.max-size', '2mb', 'sink.buffer-flush.max-bytes', 2_097_152],
    ['sink.flush-buffer.size', '2 mb', 'sink.buffer-flush.max-bytes', 2_097_152],
    ['bulk.size.bytes', '5242880', 'sink.buffer-flush.max-bytes', 5_242_880],
    ['batching.byte_size', '0', 'sink.buffer-flush.max-bytes', 0],
    ['sink.buffer-flush.interval-ms', '300000', 'sink.buffer-flush.interval', 300_000],
    ['sink.bulk-flush.interval', '1s', 'sink.buffer-flush.interval', 1000],
    ['sink.flush-interval', '1s', 'sink.buffer-flush.interval', 1000],
    ['linger.ms', '1', 'sink.buffer-flush.interval', 1],
    ['batching.period', '500ms', 'sink.buffer-flush.interval', 500],
    ['max.retries', '10', 'sink.max-retries', 10],
    ['flush.max.retries', '5', 'sink.max-retries', 5],
    ['sink.bulk-flush.backoff.max-retries', '8', 'sink.max-retries', 8],
    ['retry.backoff.ms', '3000', 'sink.retry.interval', 3000],
    ['flush.retry.delay.ms', '1000', 'sink.retry.interval', 1000],
    ['sink.retry.interval-ms', '10000', 'sink.retry.interval', 10_000],
    ['sink.ignore-update-before', 'true', 'sink.ignore.update-before', 'true'],
    ['sink.ignore-delete', 'true', 'sink.ignore.delete', true],
    ['ignore_delete', 'true', 'sink.ignore.delete', true],
    ['force_append_only', 'true', 'sink.ignore.delete', true],
    ['ignoredelete', 'true', 'sink.ignore.delete', true],
    ['sink.enable-delete', 'false', 'sink.ignore.delete', true],
    ['delete.enabled', 'true', 'sink.ignore.delete', false],
    ['hardDelete', 'false', 'sink.delete.mode', 'soft'],
    ['insert.mode', 'upsert', 'merge-engine', 'deduplicate'],
    ['mutatetype', 'insertOrIgnore', 'merge-engine', 'first-row'],
    ['on_conflict_do_nothing', 'true', 'merge-engine', 'first-row'],
    ['partial-insert.enabled', 'true', 'merge-engine', 'partial-update'],
    ['update.drop.if.fields.older', 'a,b', 'sequence.field', ['a', 'b']],
    ['sink.semantic', 'exactly-once', 'sink.delivery-guarantee', 'exactly-once'],
    ['failure-handler', 'ignore', 'sink.failure-handler', 'skip'],
    ['errors.tolerance', 'all', 'sink.failure-handler', 'skip'],
    ['auto.create', 'true', 'sink.create-table', 'if-not-exists'],
  ] as const)('%s = %s', (name, value, canonical, expected) => {
    expect(resolve({ [name]: value })[canonical]).toEqual(expected)
  })

  test('no name stands for two options, and none is also a name of ours', () => {
    const names = Object.entries(sharedOptions).flatMap(([name, option]) => [
      name,
      ...option.aliases.map((alias) => alias.name),
    ])
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([])
  })

  test('what they are translated to is a value of ours', () => {
    for (const option of Object.values(sharedOptions)) {
      const words = [...option.aliases.map(({ values }) => values ?? {}), option.synonyms].flatMap(Object.values)
      expect(words.filter((word) => !v.is(option.schema, word))).toEqual([])
    }
  })
})

test('columns named like parts of options are told apart from them', () => {
  const values = resolve({
    'fields.default-aggregate-function': 'max',
    'fields.a.aggregate-function': 'sum',
    'fields.fields.distinct.distinct': 'true',
    'fields.x,y.sequence-group': 'a,b',
    'fields.a.list-agg-delimiter': ' ',
  })
  expect(values['fields.default-aggregate-function']).toBe('max')
  expect(values['fields.*.aggregate-function']).toEqual(new Map([['a', 'sum']]))
  expect(values['fields.*.distinct']).toEqual(new Map([['fields.distinct', true]]))
  expect(values['fields.*.sequence-group']).toEqual(new Map([['x,y', ['a', 'b']]]))
  expect(values['fields.*.list-agg-delimiter']).toEqual(new Map([['a', ' ']]))
})

test('every format has its name and its family of options', () => {
  expect(new Set<string>(formatNames)).toEqual(new Set(formats.map(({ name }) => name)))
  expect(resolve({ 'debezium-json.schema-include': 'true' })['debezium-json.*']).toEqual(
    new Map([['schema-include', 'true']]),
  )
})

test('every option says what it does and where it stands', () => {
  for (const [name, { description, section }] of Object.entries(sharedOptions)) {
    expect([name, description.length > 10, section.length > 3]).toEqual([name, true, true])
  }
})
