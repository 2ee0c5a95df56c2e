import { notIdempotent } from '../merge/merge-plan.ts'
import { primaryKeyNames } from '../row/schema.ts'
import { columnsRefusingRetract } from './compile-merge.ts'
import type { TablePlan } from './plan.ts'
import type { RefusalInput } from './refusal-input.ts'
import { refuseBatchShape } from './refuse-batch-shape.ts'

/** Everything that a rule or the store's capabilities forbid, each with the way out. */
export function refusalsOf(input: RefusalInput): void {
  refuseBatchShape(input)
  refuseKinds(input)
  refuseRetracts(input)
  refuseConflicts(input)
  refuseDuplicates(input)
  refuseTypes(input)
  refuseMissing(input)
  refuseDelivery(input)
  input.problems.push(...(input.connector.planProblems?.(input.plan) ?? []))
}

/** K3, K4. */
function refuseKinds({ connector, plan, reaching, given, problems }: RefusalInput): void {
  const { schema, source, capabilities, merge } = plan
  if (merge.batchShape === 'log') return
  const known = source.mode !== 'unknown'
  const updates = reaching.filter((kind) => kind !== '+I')
  if (known && updates.length > 0 && capabilities.changelog === 'insert-only') {
    problems.push({
      subject: 'source.changelog-mode',
      message: `${connector.name} takes only inserts, and the input carries ${updates.join(' ')} (K3)`,
      fix: "write into a store with upserts, or drop them: 'sink.ignore.update-before' = 'true' and 'sink.ignore.delete' = 'true' keep +U, which has no insert form",
    })
  }
  if (schema.primaryKey.length > 0) return
  if (known && updates.length > 0 && capabilities.changelog !== 'insert-only') {
    problems.push({
      subject: 'PRIMARY KEY',
      message: `is not declared, and the input carries ${updates.join(' ')}, whose rows could not be found (K4)`,
      fix: 'declare PRIMARY KEY (…) NOT ENFORCED',
    })
  }
  const pointless = ['merge-engine', 'sequence.field', 'sink.delete.mode'].filter((name) => given.has(name))
  if (merge.groups.length > 0) pointless.push('fields.*.sequence-group')
  for (const subject of pointless) {
    problems.push({ subject, message: 'needs a primary key', fix: 'declare PRIMARY KEY (…) NOT ENFORCED' })
  }
}

/** A2, when the mode is known (K7). */
function refuseRetracts({ plan, options, reaching, problems }: RefusalInput): void {
  const { merge, source, updateBefore } = plan
  if (source.mode === 'unknown' || merge.key.length === 0) return
  const kinds = reaching.filter((kind) => kind === '-D' || (kind === '-U' && updateBefore === 'retract'))
  if (kinds.length === 0) return
  if (merge.engine === 'first-row' && reaching.includes('-D')) {
    problems.push({
      subject: 'merge-engine',
      message: 'first-row keeps the first row and cannot take a -D (A2)',
      fix: "set 'ignore-delete' = 'true'",
    })
  }
  if (
    merge.engine === 'partial-update' &&
    merge.groups.length === 0 &&
    reaching.includes('-D') &&
    !merge.removeRecordOnDelete
  ) {
    problems.push({
      subject: 'merge-engine',
      message: 'partial-update without sequence groups cannot tell what a -D takes back (A2)',
      fix: "set 'ignore-delete' = 'true', or 'partial-update.remove-record-on-delete' = 'true', or define 'fields.<sequence>.sequence-group'",
    })
  }
  const removes = merge.removeRecordOnDelete && !kinds.includes('-U')
  if (merge.engine !== 'aggregation' && merge.engine !== 'partial-update') return
  if (removes || options['ignore-delete']) return
  for (const { name, fn } of columnsRefusingRetract(merge)) {
    problems.push({
      subject: name,
      message: `${fn} cannot take back a value, and the input carries ${kinds.join(' ')} (A2)`,
      fix: `set 'fields.${name}.ignore-retract' = 'true', or drop them with 'sink.ignore.update-before' = 'true' and 'sink.ignore.delete' = 'true'`,
    })
  }
}

/** O2: the materializer that a policy needs belongs to a later version. */
function refuseConflicts({ plan, options, problems }: RefusalInput): void {
  const { upsertKey } = plan.source
  const { primaryKey, columns } = plan.schema
  if (plan.merge.batchShape === 'log') return
  const policy = options['sink.on-conflict']
  const differs =
    upsertKey !== undefined &&
    (upsertKey === 'none' || upsertKey.length !== primaryKey.length || upsertKey.some((at) => !primaryKey.includes(at)))
  const key = primaryKeyNames(plan.schema).join(', ')
  if (differs && policy === undefined) {
    const named =
      upsertKey === 'none' ? 'has no upsert key' : `is unique by ${upsertKey.map((at) => columns[at]?.name).join(', ')}`
    problems.push({
      subject: 'sink.upsert-key',
      message: `the input ${named}, and the table's key is ${key}: rows of several upsert keys can meet in one row (O2)`,
      fix: "match rows whole: 'sink.upsert-key' = 'none' and 'sink.on-conflict' = 'deduplicate'",
    })
    return
  }
  if (plan.matchesWholeRows) {
    refuseWholeRows({ plan, options, problems })
    return
  }
  const materialized =
    differs || policy === 'nothing' || policy === 'error' || options['sink.upsert-materialize'] === 'force'
  if (materialized && primaryKey.length > 0) {
    problems.push({
      subject: policy === undefined ? 'sink.upsert-materialize' : 'sink.on-conflict',
      message: 'needs the upsert materializer, which this version does not have yet (O1)',
      fix: "match rows whole ('sink.upsert-key' = 'none', 'sink.on-conflict' = 'deduplicate'), or let the producer write a stream that is unique by the primary key, e.g. with ON CONFLICT in its own INSERT",
    })
  }
}

/** Rows that are matched whole must all be seen, and the last that is left is the one to write. */
function refuseWholeRows({ plan, options, problems }: Pick<RefusalInput, 'plan' | 'options' | 'problems'>): void {
  const refuse = (subject: string, message: string, fix: string) => problems.push({ subject, message, fix })
  const { merge, updateBefore, ignoreDelete } = plan
  const why = "and 'sink.upsert-key' = 'none' matches rows whole (O2)"
  if (merge.engine !== 'deduplicate') refuse('merge-engine', `${merge.engine} merges rows, ${why}`, 'take deduplicate')
  if (merge.sequence !== undefined) {
    refuse('sequence.field', `keeps the row of the highest sequence, ${why}`, 'take one of the two')
  }
  if (updateBefore === 'drop') refuse('sink.ignore.update-before', `drops a half of updates, ${why}`, 'leave it out')
  if (ignoreDelete !== 'none') refuse('sink.ignore.delete', `drops deletes, ${why}`, 'leave it out')
  if (options['sink.delivery-guarantee'] === 'exactly-once') {
    refuse(
      'sink.delivery-guarantee',
      'exactly-once goes on in the middle of the input, and the rows that were matched before are not kept there (O2)',
      'take at-least-once, and read the input from its start',
    )
  }
}

/** A3. */
function refuseDuplicates({ plan, options, problems }: RefusalInput): void {
  const { merge, capabilities, schema } = plan
  if (
    options['sink.delivery-guarantee'] === 'exactly-once' ||
    options['sink.accept-duplicates'] ||
    capabilities.volatile
  )
    return
  const fix =
    "set 'sink.delivery-guarantee' = 'exactly-once' with a 'sink.id', or accept them with 'sink.accept-duplicates' = 'true'"
  for (const [at, rule] of merge.rules.entries()) {
    if (rule.kind !== 'aggregate' || !notIdempotent.has(rule.function)) continue
    problems.push({
      subject: merge.columns[at]?.name ?? '',
      message: `${rule.function} counts a change twice that is delivered twice (A3)`,
      fix,
    })
  }
  if (schema.primaryKey.length === 0 && capabilities.exactlyOnce) {
    problems.push({
      subject: 'PRIMARY KEY',
      message: 'is not declared, so a row that is delivered twice is written twice (A3)',
      fix: `declare one, or ${fix}`,
    })
  }
}

/** G4, G7 and types that the store cannot hold. */
function refuseTypes({ connector, plan, problems, missing }: RefusalInput): void {
  const { merge, schema } = plan
  for (const { name, type } of schema.columns) {
    if (connector.typeMapping.nativeType(type) === undefined) {
      problems.push({
        subject: name,
        message: `${connector.name} has no type that holds ${type.name} exactly`,
        fix: 'declare it as STRING or JSON',
      })
    }
  }
  const sequences = [...(merge.sequence?.columns ?? []), ...merge.groups.flatMap(({ columns }) => columns)]
  for (const at of new Set(sequences)) {
    const column = merge.columns[at]
    const fault = column && connector.typeMapping.sequenceFault(column.type)
    if (column !== undefined && fault !== undefined) {
      missing.push({ subject: column.name, message: `cannot be a sequence in ${connector.name}: ${fault} (G7)` })
    }
  }
}

function refuseMissing(input: RefusalInput): void {
  const { connector, plan, missing } = input
  const { merge, capabilities } = plan
  const lack = (subject: string, what: string, fix?: string) =>
    missing.push({ subject, message: `${connector.name} ${what}`, fix })
  if (merge.key.length === 0) return
  if (merge.sequence !== undefined && !capabilities.sequence.gate) lack('sequence.field', 'cannot compare sequences')
  if (merge.sequence !== undefined && merge.sequence.columns.length > 1 && !capabilities.sequence.compound) {
    lack('sequence.field', 'cannot compare a sequence of several columns (G4)', 'take one column')
  }
  if (merge.sequence?.descending === true && !capabilities.sequence.descending) {
    lack('sequence.field.sort-order', 'cannot compare sequences in descending order')
  }
  if (merge.sequence?.tie === 'first-arrival' && capabilities.sequence.firstArrival === false) {
    lack('sequence.tie', 'lets the later arrival win where sequences are equal', 'add a column that tells them apart')
  }
  if (merge.groups.length > 0 && !capabilities.sequenceGroups)
    lack('fields.*.sequence-group', 'cannot keep sequence groups', capabilities.mergesColumnsWith)
  if (merge.engine === 'first-row' && !capabilities.firstRow) lack('merge-engine', 'cannot keep the first row')
  if (merge.engine === 'partial-update' && !capabilities.patch)
    lack('merge-engine', 'cannot update some of the columns', capabilities.mergesColumnsWith)
  if (!capabilities.deleteModes.includes(merge.deleteMode) && capabilities.changelog === 'upsert') {
    lack('sink.delete.mode', `has no ${merge.deleteMode} deletes`, `it has ${capabilities.deleteModes.join(', ')}`)
  }
  refuseFunctions(input, lack)
}

function refuseFunctions(
  { plan, reaching }: RefusalInput,
  lack: (subject: string, what: string, fix?: string) => void,
): void {
  const { merge, capabilities } = plan
  const retracts = reaching.some((kind) => kind === '-D' || kind === '-U')
  for (const [at, rule] of merge.rules.entries()) {
    if (rule.kind !== 'aggregate') continue
    const name = merge.columns[at]?.name ?? ''
    if (!capabilities.aggregates.includes(rule.function)) {
      const what = `cannot keep ${rule.function} in one atomic statement`
      lack(`fields.${name}.aggregate-function`, what, capabilities.mergesColumnsWith)
    } else if (
      retracts &&
      !rule.ignoreRetract &&
      !refusesRetract(merge, name) &&
      !capabilities.retracts.includes(rule.function)
    ) {
      lack(name, `cannot take back a value of ${rule.function}`, `set 'fields.${name}.ignore-retract' = 'true'`)
    }
  }
}

function refusesRetract(merge: TablePlan['merge'], name: string): boolean {
  return columnsRefusingRetract(merge).some((column) => column.name === name)
}

/** B2, R5. */
function refuseDelivery({ connector, plan, options, source, given, problems, missing }: RefusalInput): void {
  const { capabilities } = plan
  if (options['sink.flush.align'] === 'group') {
    if (!capabilities.transaction) {
      missing.push({
        subject: 'sink.flush.align',
        message: `${connector.name} cannot make a group visible at once (B2)`,
      })
    }
    if (source.groupEnd === 'none') {
      problems.push({
        subject: 'sink.flush.align',
        message: `format ${source.format} does not say where a group ends (B2)`,
        fix: "use a format with transactions, or set 'sink.flush.align' = 'none'",
      })
    }
  } else if (options['sink.failure-scope'] === 'group') {
    problems.push({
      subject: 'sink.failure-scope',
      message: "has no effect without 'sink.flush.align' = 'group'",
      fix: 'set both, or take it out',
    })
  }
  if (options['sink.delivery-guarantee'] === 'exactly-once') {
    if (!capabilities.exactlyOnce) {
      missing.push({
        subject: 'sink.delivery-guarantee',
        message: `${connector.name} cannot store positions with the rows (R5)`,
      })
    }
    if (options['sink.id'] === undefined && !capabilities.volatile) {
      problems.push({
        subject: 'sink.id',
        message: 'is missing: exactly-once keeps its position under it (R5)',
        fix: "give the sink a name of its own, e.g. 'sink.id' = 'orders-1'",
      })
    }
  } else if (given.has('sink.id')) {
    problems.push({
      subject: 'sink.id',
      message: "has no effect without 'sink.delivery-guarantee' = 'exactly-once'",
      fix: 'set both, or take it out',
    })
  }
}
