import type { Connector, PlannedTable } from '../connector/connector.ts'
import { isIdempotent } from './domain-plan.ts'
import type { TablePlan } from './plan.ts'
import type { SharedValues } from './shared-values.ts'

type Text = Pick<TablePlan, 'promises' | 'warnings' | 'advice'>

/** What may be relied on, what is risky, and what would be better, as lines for `explain`. */
export function promisesOf(plan: PlannedTable, options: SharedValues, connector: Connector): Text {
  return {
    promises: [
      'a position is durable only after everything before it is in the store (R1)',
      deliveryPromise(plan, options),
      ...sequencePromises(plan),
      ...groupPromise(plan, options),
    ],
    warnings: warningsOf(plan, options),
    advice: adviceOf(plan, options, connector),
  }
}

function deliveryPromise(plan: Parameters<typeof promisesOf>[0], options: SharedValues): string {
  if (options['sink.delivery-guarantee'] === 'exactly-once') {
    return `each change takes effect once: rows and position commit together under sink.id ${options['sink.id'] ?? ''} (R5)`
  }
  if (isIdempotent(plan)) {
    return plan.merge.groups.some(({ removesRecord }) => removesRecord)
      ? 'a change that is delivered again changes nothing, save where another group has removed its record since: then it makes the row anew (A3)'
      : 'a change that is delivered again changes nothing: the table converges (A3)'
  }
  if (plan.capabilities.volatile) return 'nothing outlives the process, so nothing is delivered twice (A3)'
  const accepted = options['sink.accept-duplicates'] ? ": accepted by 'sink.accept-duplicates'" : ''
  return `a change that is delivered again counts again${accepted} (A3)`
}

function sequencePromises({ merge, capabilities }: Parameters<typeof promisesOf>[0]): readonly string[] {
  const names = (positions: readonly number[]) => positions.map((at) => merge.columns[at]?.name).join(', ')
  const lines: string[] = []
  if (merge.batchShape === 'log') lines.push('every change is kept as a row of its own, in the order of arrival (K2)')
  if (merge.batchShape === 'retract-pairs' && merge.sequence !== undefined) {
    lines.push(`images cancel each other in any order, told apart by ${names(merge.sequence.columns)} (K2)`)
  } else if (merge.sequence?.gates === true) {
    lines.push(`an older version never replaces a newer one, by ${names(merge.sequence.columns)} (G1)`)
  } else if (merge.sequence !== undefined) {
    lines.push(`order is decided by ${names(merge.sequence.columns)}; an older change still folds in (G5)`)
  }
  for (const group of merge.groups) {
    lines.push(`${names([...group.plain, ...group.aggregated])} follow the sequence ${names(group.columns)} (G3)`)
  }
  if (merge.deleteMode === 'tombstone') {
    lines.push(`a deleted row leaves its sequence behind ${capabilities.tombstoneLife} (G2)`)
  }
  return lines
}

function groupPromise({ capabilities }: Parameters<typeof promisesOf>[0], options: SharedValues): readonly string[] {
  if (options['sink.flush.align'] === 'group') return ['changes of one group become visible together (B2)']
  return capabilities.transaction ? ['a flush becomes visible at once; a group may be cut by a flush'] : []
}

function warningsOf(
  { source, merge, truncate, matchesWholeRows, capabilities }: Parameters<typeof promisesOf>[0],
  options: SharedValues,
): readonly string[] {
  const lines: string[] = []
  if (source.mode === 'unknown') {
    lines.push(
      "nothing is known of the input's row kinds; a record that the plan cannot take is rejected when it comes (K7)",
    )
  }
  if (merge.key.length > 0 && source.upsertKey === undefined) {
    lines.push('the input is taken to be unique by the primary key (O2); inspect tells if it is not')
  }
  if (matchesWholeRows) {
    lines.push('every row is kept in memory until it is taken back, and a run must read its input from the start (O2)')
  }
  if (truncate === 'apply' && merge.deleteMode === 'tombstone') {
    lines.push('a truncate of the source loses the tombstones (K5)')
  }
  if (merge.sequence?.gates === true && merge.deleteMode === 'hard') {
    lines.push('deletes leave no sequence behind: an older change that comes late brings a deleted row back (G2)')
  }
  if (merge.batchShape === 'retract-pairs') {
    lines.push(
      'an image is taken back by its whole content: one that the input never takes back, or takes back otherwise than it wrote it, stays as a row too many (K2)',
    )
  }
  if (capabilities.singleWriter === true && merge.sequence === undefined && merge.key.length > 0) {
    lines.push(
      'one writer at a time: without a sequence it numbers the changes as they arrive, and two would outdo each other',
    )
  }
  if (options['sink.failure-handler'] === 'skip')
    lines.push('rows that cannot be written are skipped and only counted (R3)')
  return lines
}

function adviceOf(
  { merge, source }: Parameters<typeof promisesOf>[0],
  options: SharedValues,
  connector: Connector,
): readonly string[] {
  const lines: string[] = []
  if (source.mode === 'unknown')
    lines.push("say what the input carries with 'source.changelog-mode', and faults show before the first record")
  const replaces = merge.engine === 'deduplicate' && merge.batchShape === undefined
  if (replaces && merge.sequence === undefined && merge.key.length > 0) {
    lines.push("without 'sequence.field' the last arrival wins: name a version column if records can come out of order")
  }
  const sequence = [...(merge.sequence?.columns ?? []), ...merge.groups.flatMap(({ columns }) => columns)]
  for (const at of sequence) {
    const column = merge.columns[at]
    if (column?.type.name === 'VARCHAR' || column?.type.name === 'CHAR') {
      lines.push(`sequence ${column.name} is text and compares by code point: '10' comes before '9'`)
    }
  }
  if (options['sink.flush.align'] === 'none' && source.format === 'pgoutput' && connector.name !== 'memory') {
    lines.push("the input has transactions: 'sink.flush.align' = 'group' lets readers see each of them whole")
  }
  return lines
}
