import type { Row } from '../row/row.ts'
import type { Value } from '../row/value.ts'
import type { ComposePoint } from './aggregate/aggregate.ts'
import { createAggregate } from './aggregate/registry.ts'
import type { ContributionRow } from './merge-change.ts'
import type { AggregateRule, ColumnRule, MergePlan, Sequence } from './merge-plan.ts'
import { createSequenceOrder, isNullTuple, type SequenceOrder } from './sequence.ts'

/**
 * Columns that share one order: a sequence group (rule G3), or everything outside the groups, with the row's sequence if
 * it has one (rule G5). Records become contributions in a change's row, changes merge into stored rows and into each other.
 */
export interface ColumnGroup {
  /** Undefined: by arrival. */
  readonly order: SequenceOrder | undefined
  /** What an added record contributes. */
  contribute(change: ContributionRow, record: Row): void
  /** What a record contributes that is taken back; columns whose function can't are pushed to `unable`. */
  retract(change: ContributionRow, record: Row, unable: number[]): void
  /** Does the change say anything about the order of this group? */
  touches(change: ContributionRow): boolean
  /** Merges into `row`, a copy of the stored one. */
  apply(row: Row, change: ContributionRow, at: RowAge): GroupApplied
  /** False: not exact. */
  compose(into: ContributionRow, earlier: ContributionRow, later: ContributionRow, earlierAdds: boolean): boolean
}

export interface RowAge {
  /** No record has been added yet: the row is not there, or only retracts have touched it. */
  readonly fresh: boolean
  /** There is no row, so nothing that a change could be older than, or tie with. */
  readonly isNew: boolean
}

export interface GroupApplied {
  /** The change is older than the group. */
  readonly late: boolean
  /** Column and reason, if a function can't take its contribution. */
  readonly fault: { readonly position: number; readonly reason: string } | undefined
}

/** The sequence group with this index in the plan. */
export function createSequenceGroup(plan: MergePlan, index: number): ColumnGroup {
  const group = plan.groups[index] as MergePlan['groups'][number]
  return createColumnGroup(plan, group, {
    skipsNullSequence: true,
    plain: group.plain,
    overwritten: [],
    aggregated: group.aggregated,
  })
}

/** Everything outside the sequence groups. */
export function createUngrouped(plan: MergePlan): ColumnGroup {
  const where = (test: (rule: ColumnRule) => boolean): number[] =>
    plan.rules.flatMap((rule, position) => (test(rule) ? [position] : []))
  return createColumnGroup(plan, plan.sequence, {
    skipsNullSequence: false,
    plain: [],
    overwritten: where((rule) => rule.kind === 'overwrite'),
    aggregated: where((rule) => rule.kind === 'aggregate' && rule.group === undefined),
  })
}

interface Members {
  /** A record whose sequence is all null leaves the whole group alone (Paimon's groups, not its `sequence.field`). */
  readonly skipsNullSequence: boolean
  readonly plain: readonly number[]
  readonly overwritten: readonly number[]
  readonly aggregated: readonly number[]
}

function createColumnGroup(plan: MergePlan, sequence: Sequence | undefined, members: Members): ColumnGroup {
  const { plain, overwritten } = members
  const order = sequence === undefined ? undefined : createSequenceOrder(sequence, plan.columns)
  const sequenceColumns = order?.columns ?? []
  const aggregates = members.aggregated.map((position) => ({
    position,
    rule: plan.rules[position] as AggregateRule,
    aggregate: createAggregate(plan, position),
  }))
  const nullsOverwrite = new Set(overwritten.filter((position) => overwritesWithNull(plan.rules[position])))

  return { order, contribute, retract, touches, apply, compose }

  function contribute(change: ContributionRow, record: Row): void {
    if (!takeSequence(change, record)) return
    for (const position of plain) change[position] = record[position]
    for (const position of overwritten) {
      const value = record[position]
      if (value !== null || nullsOverwrite.has(position)) change[position] = value
    }
    for (const { position, aggregate } of aggregates) {
      const value = record[position]
      if (value !== undefined) aggregate.contribute(change, value)
    }
  }

  function retract(change: ContributionRow, record: Row, unable: number[]): void {
    if (!takeSequence(change, record)) return
    for (const position of plain) change[position] = null
    for (const { position, rule, aggregate } of aggregates) {
      if (rule.ignoreRetract) continue
      const value = record[position]
      if (aggregate.retract === undefined) unable.push(position)
      else if (value !== undefined) aggregate.retract(change, value)
    }
  }

  /** Copies the record's sequence into the change; false if the record says nothing about this group. */
  function takeSequence(change: ContributionRow, record: Row): boolean {
    if (members.skipsNullSequence && isNullTuple(record, sequenceColumns)) return false
    for (const position of sequenceColumns) change[position] = record[position] ?? null
    return true
  }

  function touches(change: ContributionRow): boolean {
    const [first] = sequenceColumns
    return first !== undefined && change[first] !== undefined
  }

  function apply(row: Row, change: ContributionRow, { fresh, isNew }: RowAge): GroupApplied {
    const inOrder = isNew || order === undefined || !touches(change) || order.passes(order.compare(change, row))
    // aggregates first: they look at the stored sequence beside them, never at the one of the group
    for (const { position, aggregate } of aggregates) {
      const reason = aggregate.apply(row, change, { inOrder, fresh })
      if (reason !== undefined) return { late: !inOrder, fault: { position, reason } }
    }
    if (inOrder) {
      write(row, change, sequenceColumns)
      write(row, change, plain)
      write(row, change, overwritten)
    }
    return { late: !inOrder, fault: undefined }
  }

  function compose(
    into: ContributionRow,
    earlier: ContributionRow,
    later: ContributionRow,
    earlierAdds: boolean,
  ): boolean {
    const relation = relationOf(earlier, later)
    const at: ComposePoint = { relation, earlierAdds }
    const newer = relation === 'older' || !touches(later) ? earlier : later
    for (const position of sequenceColumns) into[position] = newer[position]
    for (const position of overwritten) {
      into[position] = later[position] === undefined ? earlier[position] : later[position]
    }
    for (const position of plain) if (!composePlain(into, earlier, later, position, relation)) return false
    for (const { aggregate } of aggregates) if (!aggregate.compose(into, earlier, later, at)) return false
    return true
  }

  function relationOf(earlier: ContributionRow, later: ContributionRow): ComposePoint['relation'] {
    if (order === undefined || !touches(earlier) || !touches(later)) return 'same'
    const difference = order.compare(later, earlier)
    if (!order.passes(difference)) return 'older'
    return difference > 0 ? 'newer' : 'same'
  }
}

function composePlain(
  into: ContributionRow,
  earlier: ContributionRow,
  later: ContributionRow,
  position: number,
  relation: ComposePoint['relation'],
): boolean {
  const taken = relation === 'older' || later[position] === undefined ? earlier[position] : later[position]
  into[position] = taken
  // a value of the earlier change would get in by the newer sequence where its own is too old
  return relation !== 'newer' || later[position] !== undefined || earlier[position] === undefined
}

function write(row: Row, change: ContributionRow, positions: readonly number[]): void {
  for (const position of positions) {
    const value = change[position]
    if (value !== undefined) row[position] = value as Value | null
  }
}

function overwritesWithNull(rule: ColumnRule | undefined): boolean {
  return rule?.kind === 'overwrite' && rule.nulls
}
