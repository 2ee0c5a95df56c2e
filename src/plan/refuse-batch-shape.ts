import type { RefusalInput } from './refusal-input.ts'

/** What a store that wants every image, or every change, cannot go without, and what has no effect there (rules K2, A3). */
export function refuseBatchShape(input: RefusalInput): void {
  const { batchShape } = input.plan.merge
  if (batchShape === 'retract-pairs') refuseForPairs(input)
  if (batchShape === 'log') refuseForLog(input)
}

function refuseForLog({ given, problems }: RefusalInput): void {
  for (const subject of ['merge-engine', 'sequence.field', 'sink.delete.mode', ...ofDeletes, 'sink.on-conflict']) {
    if (!given.has(subject)) continue
    problems.push({ subject, message: 'has no effect: every change is appended as it came (K2)', fix: 'take it out' })
  }
}

function refuseForPairs({ connector, plan, options, given, problems }: RefusalInput): void {
  const refuse = (subject: string, message: string, fix: string) => problems.push({ subject, message, fix })
  const { source, merge, ignoreDelete, schema, capabilities } = plan
  // an input with more than inserts is refused for want of a key in any case (K4)
  if (schema.primaryKey.length === 0 && source.mode === 'insert-only') {
    refuse('PRIMARY KEY', `is not declared, and ${cancels}, key by key`, 'declare PRIMARY KEY (…) NOT ENFORCED')
  }
  if (source.mode === 'upsert' || source.mode === 'unknown') {
    const carried = source.mode === 'upsert' ? 'carries no update-befores' : 'is not known to carry update-befores'
    refuse(
      'source.changelog-mode',
      `the input ${carried}, and in ${connector.name} ${cancels} (K2, K7)`,
      source.mode === 'upsert'
        ? 'let the table replace rows by key'
        : "if every -U and -D comes with its whole row, say 'source.changelog-mode' = 'retract'",
    )
  }
  if (merge.engine !== 'deduplicate')
    refuse('merge-engine', `${merge.engine} merges rows, and ${cancels}`, 'leave it out')
  if (plan.updateBefore === 'drop') {
    refuse('sink.ignore.update-before', `drops what takes rows back, and ${cancels} (K2)`, 'leave it out')
  }
  if (ignoreDelete !== 'none') {
    refuse('sink.ignore.delete', `drops what takes rows back, and ${cancels} (K2)`, 'leave it out')
  }
  if (plan.matchesWholeRows) {
    refuse('sink.upsert-key', `none keeps one row a key, and ${cancels} (O2)`, 'leave it out')
  }
  if (plan.rowKindColumn !== undefined) {
    const message = 'makes a column of the kind, so that no image equals the one that it takes back'
    refuse('rowkind.field', message, 'let the format say the kind')
  }
  for (const subject of ['sequence.tie', 'sequence.field.sort-order', ...ofDeletes]) {
    if (given.has(subject)) refuse(subject, `has no effect: ${cancels}`, 'take it out')
  }
  const isOnce = options['sink.delivery-guarantee'] === 'exactly-once' || capabilities.volatile
  if (!options['sink.accept-duplicates'] && !isOnce) {
    refuse(
      'sink.accept-duplicates',
      'a change that is delivered twice is written twice, and cancelled once: a row too many stays (A3)',
      "accept that with 'sink.accept-duplicates' = 'true', where the input goes on from the sink's positions",
    )
  }
}

const cancels = 'rows are cancelled by the images that are taken back'

const ofDeletes = ['sink.delete.column', 'sink.delete.without-sequence', 'sink.tombstone.retention']
