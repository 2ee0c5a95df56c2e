import { changelogModes } from '../changelog/changelog-mode.ts'
import { aggregateFunctions } from '../merge/merge-plan.ts'
import { duration, flag, integer, list, memorySize, type Option, oneOf, orWord, text } from './option.ts'

/** Names of the input formats, as `format` takes them. */
export const formatNames = [
  'changelog-json',
  'debezium-json',
  'debezium-unwrapped',
  'canal-json',
  'maxwell-json',
  'ogg-json',
  'upsert-kafka',
  'materialize-subscribe',
  'risingwave-subscription',
  'pgoutput',
  'json',
] as const

export type FormatName = (typeof formatNames)[number]

/** What Paimon calls functions otherwise. */
const paimonNames = { first_not_null_value: 'first_non_null_value' } as const

const input = {
  connector: text({
    section: 'Table',
    required: true,
    description: 'Which store the table is in.',
  }),
  'sink.create-table': oneOf(['never', 'if-not-exists'], {
    section: 'Table',
    default: 'never',
    aliases: [{ name: 'auto.create', values: { true: 'if-not-exists', false: 'never' } }],
    description: '`if-not-exists` creates a fitting table before the first row is written.',
  }),
  'sink.server-version': text({
    section: 'Table',
    defaultNote: 'asked when the sink opens',
    description: 'Version of the server that `explain` and `simulate` plan for without a connection.',
  }),
  'sink.not-null-enforcer': oneOf(['error', 'drop'], {
    section: 'Table',
    default: 'error',
    description:
      'What happens to a row that holds null in a NOT NULL column: `error` rejects it, `drop` ignores it and counts it.',
  }),
  'sink.type-length-enforcer': oneOf(['error', 'trim_pad', 'ignore'], {
    section: 'Table',
    default: 'error',
    description:
      'What happens to a value that is longer than its CHAR, VARCHAR, BINARY or VARBINARY column, or shorter than CHAR or BINARY: ' +
      '`error` rejects a row whose value is too long, `trim_pad` cuts it and pads short ones, `ignore` leaves the check to the store.',
  }),
  format: oneOf(formatNames, {
    section: 'Input',
    defaultNote: 'detected from the first records',
    description: 'Format of the input.',
  }),
  ...formatFamilies(),
  'timestamp-format': oneOf(['text', 'seconds', 'millis', 'micros', 'nanos'], {
    section: 'Input',
    defaultNote: 'by format',
    synonyms: { sql: 'text', 'iso-8601': 'text' },
    description:
      'Unit of a whole number in a TIMESTAMP or TIMESTAMP_LTZ column, counted from 1970-01-01. Text is always read; `text` takes nothing else.',
  }),
  'rowkind.field': text({
    section: 'Input',
    description: 'Column that holds the row kind (`+I`, `-U`, `+U`, `-D`). It wins over what the format says.',
  }),
  'source.changelog-mode': oneOf(changelogModes, {
    section: 'Input',
    defaultNote: 'by format',
    description: 'Row kinds that the input carries (K7).',
  }),
  'source.update-encoding': oneOf(['auto', 'update', 'delete-create'], {
    section: 'Input',
    default: 'auto',
    description:
      '`delete-create`: the producer writes an update as a delete and an insert of the same key, which become a pair again. ' +
      '`auto`: so where the input shows no update operation.',
  }),
  'source.table': text({
    section: 'Input',
    defaultNote: 'the name of the table',
    description:
      'Which table of a stream that carries several: `schema.table`, a bare name, or `*` for every one. Several tables may name the same one, say to fill several stores: each gets every change.',
  }),
}

const changelog = {
  'sink.ignore.update-before': oneOf(['auto', 'true', 'false'], {
    section: 'Row kinds',
    default: 'auto',
    aliases: ['sink.ignore-update-before', 'ignore-update-before'],
    description:
      'What a `-U` does: `true` drops it, `false` makes it a delete of that version, `auto` decides by what the columns merge by (K2).',
  }),
  'sink.ignore.delete': flag({
    section: 'Row kinds',
    default: false,
    aliases: [
      'sink.ignore-delete',
      'ignore_delete',
      'ignoredelete',
      'force_append_only',
      { name: 'sink.enable-delete', values: { true: 'false', false: 'true' } },
      { name: 'delete.enabled', values: { true: 'false', false: 'true' } },
    ],
    description: 'Drops every `-D` before anything else sees it.',
  }),
  'ignore-delete': flag({
    section: 'Row kinds',
    default: false,
    aliases: ['partial-update.ignore-delete', 'first-row.ignore-delete', 'deduplicate.ignore-delete'],
    description: 'As in Paimon: drops `-D` and `-U`. What is dropped never advances a sequence.',
  }),
  'sink.delete.mode': oneOf(['hard', 'tombstone', 'soft'], {
    section: 'Row kinds',
    defaultNote: '`hard` without a sequence, `tombstone` with one',
    aliases: [{ name: 'hardDelete', values: { true: 'hard', false: 'soft' } }],
    description:
      'How a row is deleted (G2): `hard` removes it; `tombstone` sets the flag column, empties the other columns and is swept after the retention; ' +
      '`soft` sets the flag column and keeps the row.',
  }),
  'sink.delete.column': text({
    section: 'Row kinds',
    default: '__tidegate_deleted',
    description: 'Flag column of `tombstone` and `soft`.',
  }),
  'sink.tombstone.column': text({
    section: 'Row kinds',
    default: '__tidegate_deleted_at',
    description: 'Column that holds when a row became a tombstone; the sweep goes by it.',
  }),
  'sink.delete.without-sequence': oneOf(['apply', 'ignore', 'error'], {
    section: 'Row kinds',
    default: 'apply',
    description:
      'What a delete does that carries only the key, where a sequence orders the changes (G6): `apply` deletes and keeps the stored sequence.',
  }),
  'sink.tombstone.retention': orWord(
    'forever',
    duration({
      section: 'Row kinds',
      defaultNote: '`forever` where the store can',
      description:
        'How long a deleted row leaves its sequence behind, so that an older change that comes late does not bring it back (G2).',
    }),
  ),
  'sink.truncate': oneOf(['apply', 'ignore', 'error'], {
    section: 'Row kinds',
    defaultNote: '`apply` where the store has transactions, else `error`',
    description: 'What happens when the source empties its table (K5).',
  }),
}

const buffer = {
  'sink.buffer-flush.max-rows': integer({
    section: 'Buffer and flush',
    default: 5000,
    aliases: [
      'sink.bulk-flush.max-actions',
      'sink.batch.max-size',
      'sink.batch-size',
      'batch.size',
      'max_batch_rows',
      'batching.count',
    ],
    description: 'Rows in the buffer after which it is flushed; 0 switches this off.',
  }),
  'sink.buffer-flush.max-bytes': memorySize({
    section: 'Buffer and flush',
    default: '8mb',
    aliases: [
      'sink.buffer-flush.max-size',
      'sink.bulk-flush.max-size',
      'sink.flush-buffer.size',
      'bulk.size.bytes',
      'batching.byte_size',
    ],
    description: 'Bytes in the buffer after which it is flushed; 0 switches this off.',
  }),
  'sink.buffer-flush.interval': duration({
    section: 'Buffer and flush',
    default: '1s',
    aliases: [
      'sink.buffer-flush.interval-ms',
      'sink.bulk-flush.interval',
      'sink.flush-buffer.timeout',
      'sink.flush-interval',
      'linger.ms',
      'batching.period',
    ],
    description: 'Age of the oldest buffered row at which the buffer is flushed; 0 switches this off.',
  }),
  'sink.buffer.max-bytes': memorySize({
    section: 'Buffer and flush',
    default: '64mb',
    description: 'Memory that buffered rows may take; a full buffer makes `write()` wait (B3).',
  }),
  'sink.flush.align': oneOf(['none', 'group'], {
    section: 'Buffer and flush',
    default: 'none',
    description:
      '`group`: a group (a source transaction) is never cut by a flush, so readers see all of it or nothing (B2).',
  }),
  'sink.parallelism': integer({
    section: 'Buffer and flush',
    default: 1,
    min: 1,
    max: 256,
    description: 'Lanes, that is flushes at the same time. A key always stays in its lane.',
  }),
  'sink.shutdown-timeout': duration({
    section: 'Buffer and flush',
    default: '30s',
    description: 'How long the command line waits for the last flush after a signal to stop.',
  }),
}

const merge = {
  'merge-engine': oneOf(['deduplicate', 'partial-update', 'aggregation', 'first-row'], {
    section: 'Merge',
    default: 'deduplicate',
    aliases: [
      { name: 'on_conflict_do_nothing', values: { true: 'first-row', false: 'deduplicate' } },
      { name: 'partial-insert.enabled', values: { true: 'partial-update', false: 'deduplicate' } },
      { name: 'insert.mode', values: { upsert: 'deduplicate' } },
      { name: 'mutatetype', values: { insertorignore: 'first-row', insertorreplace: 'deduplicate' } },
    ],
    description: 'How a change and the stored row of its key become one row.',
  }),
  'sequence.field': list({
    section: 'Merge',
    aliases: ['update.drop.if.fields.older'],
    description: 'Columns that order the versions of a key, the most significant first (G1, G5).',
  }),
  'sequence.field.sort-order': oneOf(['ascending', 'descending'], {
    section: 'Merge',
    default: 'ascending',
    description: '`descending`: the lower sequence is the newer version.',
  }),
  'sequence.tie': oneOf(['last-arrival', 'first-arrival'], {
    section: 'Merge',
    default: 'last-arrival',
    description: 'Which change wins when two have the same sequence (G1).',
  }),
  'fields.*.sequence-group': list({
    section: 'Merge',
    description:
      'Columns that follow the sequence column (or columns, separated by commas) in the name of the option (G3).',
  }),
  'fields.*.aggregate-function': oneOf(aggregateFunctions, {
    synonyms: paimonNames,
    section: 'Merge',
    description: 'Function by which the column merges (A1).',
  }),
  'fields.default-aggregate-function': oneOf(aggregateFunctions, {
    synonyms: paimonNames,
    section: 'Merge',
    defaultNote: '`last_non_null_value` under `aggregation`',
    description: 'Function of the columns that name none.',
  }),
  'fields.*.ignore-retract': flag({
    section: 'Merge',
    description: 'The column ignores `-U` and `-D` (A2).',
  }),
  'fields.*.distinct': flag({
    section: 'Merge',
    description: '`collect` and `listagg` keep each value once.',
  }),
  'fields.*.list-agg-delimiter': text({
    section: 'Merge',
    defaultNote: '`,`',
    description: 'What `listagg` puts between values.',
  }),
  'fields.*.sequence-column': list({
    section: 'Merge',
    defaultNote: 'hidden columns',
    description:
      'Columns that keep the own sequence of a column whose function needs one, a column for each sequence field (G5).',
  }),
  'partial-update.remove-record-on-delete': flag({
    section: 'Merge',
    default: false,
    description: 'Under `partial-update` a `-D` deletes the row.',
  }),
  'partial-update.remove-record-on-sequence-group': list({
    section: 'Merge',
    description: 'Sequence columns of the groups whose `-D` deletes the row.',
  }),
  'partial-update.null-overwrites': flag({
    section: 'Merge',
    default: false,
    description: 'Under `partial-update` an explicit null in a column without a group is written.',
  }),
  'aggregation.remove-record-on-delete': flag({
    section: 'Merge',
    default: false,
    description: 'Under `aggregation` a `-D` deletes the row.',
  }),
}

const conflict = {
  'sink.upsert-key': orWord(
    'none',
    list({
      section: 'Upsert key and conflicts',
      defaultNote: 'assumed to be the primary key',
      description: 'Columns by which the stream is unique; `none`: rows are matched whole (O2).',
    }),
  ),
  'sink.on-conflict': oneOf(['deduplicate', 'nothing', 'error'], {
    section: 'Upsert key and conflicts',
    description:
      'What happens when rows with different upsert keys meet in one primary key (O1). Same as `INSERT … ON CONFLICT DO`.',
  }),
  'sink.upsert-materialize': oneOf(['auto', 'force', 'none'], {
    section: 'Upsert key and conflicts',
    default: 'auto',
    description: 'Whether changes are ordered by a materializer before they are merged (O2).',
  }),
}

const delivery = {
  'sink.max-retries': integer({
    section: 'Delivery',
    default: 5,
    aliases: ['max.retries', 'flush.max.retries', 'sink.bulk-flush.backoff.max-retries'],
    description: 'How often a flush is tried again after a passing fault (R2).',
  }),
  'sink.retry.interval': duration({
    section: 'Delivery',
    default: '200ms',
    aliases: ['sink.retry.interval-ms', 'retry.backoff.ms', 'flush.retry.delay.ms', 'sink.bulk-flush.backoff.delay'],
    description: 'Wait before the first retry; it doubles each time, with jitter.',
  }),
  'sink.retry.max-interval': duration({
    section: 'Delivery',
    default: '10s',
    description: 'Longest wait between two tries.',
  }),
  'sink.failure-handler': oneOf(['fail', 'skip', 'dead-letter'], {
    section: 'Delivery',
    default: 'fail',
    aliases: [
      { name: 'failure-handler', values: { fail: 'fail', ignore: 'skip', 'retry-rejected': 'fail' } },
      { name: 'errors.tolerance', values: { none: 'fail', all: 'skip' } },
    ],
    description: 'What happens to a row that cannot be written (R3).',
  }),
  'sink.failure-scope': oneOf(['row', 'group'], {
    section: 'Delivery',
    default: 'row',
    description: 'What goes to the failure handler: the row, or the whole group that it is in.',
  }),
  'sink.dead-letter.path': text({
    section: 'Delivery',
    description: 'File to which the handler `dead-letter` writes, one JSON object a line.',
  }),
  'sink.delivery-guarantee': oneOf(['at-least-once', 'exactly-once'], {
    section: 'Delivery',
    default: 'at-least-once',
    synonyms: { none: 'at-least-once' },
    aliases: ['sink.semantic', { name: 'exactlyOnce', values: { true: 'exactly-once', false: 'at-least-once' } }],
    description: '`exactly-once`: rows and position are committed together under `sink.id` (R5).',
  }),
  'sink.id': text({
    section: 'Delivery',
    description: 'Name under which an exactly-once sink keeps its position.',
  }),
  'sink.accept-duplicates': flag({
    section: 'Delivery',
    default: false,
    description: 'Allows a merge rule that counts a repeated change twice without `exactly-once` (A3).',
  }),
}

const state = {
  'state.backend': oneOf(['memory', 'lmdb'], {
    section: 'State of operators',
    default: 'memory',
    description: 'Where operators keep what they know of each key.',
  }),
  'state.path': text({
    section: 'State of operators',
    description: 'Directory of the state on disk.',
  }),
  'state.ttl': duration({
    section: 'State of operators',
    default: '0',
    description: 'How long the state of a key is kept after its last change; 0: for ever.',
  }),
}

/** The options that every connector has. A connector's own table is laid over it and may change a default. */
export const sharedOptions = { ...input, ...changelog, ...buffer, ...merge, ...conflict, ...delivery, ...state }

export type SharedOptions = typeof sharedOptions

/** `debezium-json.*` and so on: what the format of that name takes; the format checks it. */
function formatFamilies(): { readonly [Name in `${FormatName}.*`]: Option<string, string, 'optional'> } {
  const families = formatNames.map((name) => [
    `${name}.*`,
    text({ section: 'Input', description: `Options of the format ${name}.` }),
  ])
  return Object.fromEntries(families)
}
