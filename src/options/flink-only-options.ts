import { matchesName } from './option-name.ts'

interface FlinkOnlyOption {
  /** A name, or a family with `*`. */
  readonly name: string
  /** The option is Flink's only if it has one of these values, as `format` is ours otherwise. */
  readonly values?: readonly string[] | undefined
  /** Why it has no effect here. */
  readonly reason: string
}

const reads = 'it concerns reading the table'
const jvm = 'it concerns the Java driver'
const encoding = 'rows are written by column, not as encoded messages'
const topic = 'it concerns a message topic'
const files = 'it concerns the files of a table format'
const key = 'the PRIMARY KEY clause says what the key is'

/** Options that people have in a DDL made for Flink and that change nothing here. Noted, never refused. */
export const flinkOnlyOptions: readonly FlinkOnlyOption[] = [
  { name: 'scan.*', reason: reads },
  { name: 'lookup.*', reason: reads },
  { name: 'filter.handling.policy', reason: reads },
  { name: 'source.parallelism', reason: reads },
  { name: 'driver', reason: jvm },
  { name: 'compatible-mode', reason: jvm },
  { name: 'connection.max-retry-timeout', reason: 'the connection is checked by using it' },
  {
    name: 'format',
    values: ['csv', 'avro', 'avro-confluent', 'raw', 'orc', 'parquet', 'protobuf'],
    reason: encoding,
  },
  { name: 'csv.*', reason: encoding },
  { name: 'avro.*', reason: encoding },
  { name: 'avro-confluent.*', reason: encoding },
  { name: 'key.format', reason: topic },
  { name: 'key.fields', reason: topic },
  { name: 'key.fields-prefix', reason: topic },
  { name: 'value.format', reason: topic },
  { name: 'value.fields-include', reason: topic },
  { name: 'properties.*', reason: topic },
  { name: 'sink.partitioner', reason: topic },
  { name: 'sink.transactional-id-prefix', reason: topic },
  { name: 'pk.mode', reason: key },
  { name: 'pk.fields', reason: key },
  { name: 'primary.key.mode', reason: key },
  { name: 'primary.key.fields', reason: key },
  { name: 'primary_key', reason: key },
  { name: 'sink.ordered-writes', reason: 'the changes of a key always keep their order' },
  { name: 'sink.flush-on-checkpoint', reason: 'a position is durable only after its flush' },
  { name: 'sink.bulk-flush.backoff.strategy', reason: 'retries always wait longer each time' },
  { name: 'sink.bulk-flush.max-buffered-actions', reason: 'sink.buffer.max-bytes says how much may wait' },
  {
    name: 'sink.bulk-flush.max-in-flight-actions',
    reason: 'sink.parallelism says how many flushes there are at a time',
  },
  { name: 'document-type', reason: 'documents have no types any more' },
  { name: 'connection.timeout', reason: 'a request has one time limit' },
  { name: 'connection.request-timeout', reason: 'connections do not wait for each other' },
  { name: 'bucket', reason: files },
  { name: 'bucket-key', reason: files },
  { name: 'changelog-producer', reason: files },
  { name: 'changelog-producer.*', reason: files },
  { name: 'compaction.*', reason: files },
  { name: 'file.*', reason: files },
  { name: 'snapshot.*', reason: files },
]

/** Why the option has no effect here; undefined if it is not one of Flink's own. */
export function flinkOnlyReason(name: string, value: string): string | undefined {
  const found = flinkOnlyOptions.find(
    (option) =>
      matchesName(option.name, name) && (option.values === undefined || option.values.includes(value.toLowerCase())),
  )
  return found?.reason
}
