import type { ApplyEvent } from '../../adapters/memory/store.ts'
import type { Change } from '../changelog/element.ts'
import type { FlushTrigger, SinkEvent } from '../delivery/sink-event.ts'
import { explainColumns } from '../merge/explain-columns.ts'
import type { MergeChange } from '../merge/merge-change.ts'
import type { Applied, ColumnOutcome } from '../merge/merge-function.ts'
import type { Row } from '../row/row.ts'
import type { FoldKey } from '../row/row-key.ts'
import type { IntakeEffect, IntakeObserver, IntakeOutcome } from '../sink/intake-observer.ts'
import type { TraceLine, TraceOutcome } from './trace-line.ts'
import { appliedReason } from './trace-reason.ts'
import type { TracedTable } from './traced-table.ts'

/** One change and what has become of it so far. */
export interface TracedChange {
  readonly change: Change
  /** Index among the changes of its record. */
  readonly index: number
  /** Undefined: it is of none of the tables. */
  readonly table: TracedTable | undefined
  readonly row: Row | undefined
  readonly foldKey: FoldKey | undefined
  outcome: TraceOutcome
  reason: string
  columns: Readonly<Record<string, ColumnOutcome>>
  /** Its outcome is the last one. */
  isSettled: boolean
  /** What it does to its row once it is flushed. */
  effect: MergeChange | undefined
  /** The row that it appended, for tables without a key. */
  appended: Row | undefined
}

/** Changes whose fate one flush has settled. */
export type OnFlush = (trigger: FlushTrigger, settled: readonly TracedChange[]) => void

/**
 * Follows each change from the sink's door into the memory store. What a flush did to a key is told change by change: the
 * changes that it folded are applied to the stored row one after the other, which by the law of the merge functions gives
 * the same row.
 */
export class TraceRecorder implements IntakeObserver {
  readonly #tables: readonly TracedTable[]
  readonly #onFlush: OnFlush
  readonly #byChange = new Map<Change, readonly TracedChange[]>()
  readonly #halves = new Map<TracedTable, Map<number, TracedChange>>()
  /** By table and key: changes that are in the buffer, in the order of arrival. */
  readonly #buffered = new Map<TracedTable, Map<FoldKey, TracedChange[]>>()
  /** What the flush under way has done. */
  #applied: ApplyEvent[] = []

  constructor(tables: readonly TracedTable[], onFlush: OnFlush) {
    this.#tables = tables
    this.#onFlush = onFlush
  }

  /** To be called before the change is written. */
  begin(change: Change, index: number, table: TracedTable | undefined): TracedChange {
    const row = table?.read(change)
    const traced: TracedChange = {
      change,
      index,
      table,
      row,
      foldKey: table?.foldKeyOf(row),
      outcome: table === undefined ? 'ignored' : 'held',
      reason: table === undefined ? notDeclared(change) : 'it waits for the end of its group',
      columns: {},
      isSettled: table === undefined,
      effect: undefined,
      appended: undefined,
    }
    if (table !== undefined) this.#byChange.set(change, [...(this.#byChange.get(change) ?? []), traced])
    return traced
  }

  taken(change: Change, at: number, outcome: IntakeOutcome, reason: string | undefined, effect?: IntakeEffect): void {
    const table = this.#tables[at]
    const traced = this.#byChange.get(change)?.find((one) => one.table === table)
    if (table === undefined || traced === undefined) return
    if (outcome === 'ignored' || outcome === 'rejected') {
      this.#settle(traced, outcome, reason ?? '')
      return
    }
    traced.reason = outcome === 'held' ? (reason ?? '') : 'it waits in the buffer for the next flush'
    if (effect !== undefined) this.#buffer(traced, effect.own)
    const half = this.#halfOf(traced, table, outcome)
    // the first half of a change of key becomes the delete of the old key
    if (half !== undefined && !half.isSettled && effect?.oldKey !== undefined) this.#buffer(half, effect.oldKey)
  }

  /** The first half of the update whose second half this is. */
  #halfOf(traced: TracedChange, table: TracedTable, outcome: IntakeOutcome): TracedChange | undefined {
    const { pair } = traced.change
    if (pair === undefined) return undefined
    const halves = this.#halves.get(table) ?? new Map<number, TracedChange>()
    this.#halves.set(table, halves)
    if (outcome === 'held') {
      halves.set(pair, traced)
      return undefined
    }
    const half = halves.get(pair)
    halves.delete(pair)
    return half
  }

  readonly onApply = (event: ApplyEvent): void => {
    this.#applied.push(event)
  }

  readonly onEvent = (event: SinkEvent): void => {
    if (event.type === 'rejected') this.#storeRejected(event.table, event.record, event.reason)
    if (event.type !== 'flush') return
    const settled = this.#settleFlush()
    this.#onFlush(event.trigger, settled)
  }

  /** The line of a change as things stand: its row is read from the store now. */
  lineOf(traced: TracedChange): TraceLine {
    const { change, table, row, foldKey, index, outcome, columns, reason, appended } = traced
    return {
      record: change.record ?? null,
      change: index,
      ...(this.#tables.length > 1 ? { table: table?.plan.name ?? change.table } : {}),
      kind: change.kind,
      key: table === undefined ? null : table.keyJson(change, row),
      outcome,
      columns,
      reason,
      row:
        appended !== undefined && table !== undefined ? table.rowJson(appended) : (table?.visibleRow(foldKey) ?? null),
    }
  }

  #buffer(traced: TracedChange, effect: MergeChange): void {
    const { table } = traced
    if (table === undefined) return
    const byKey = this.#buffered.get(table) ?? new Map<FoldKey, TracedChange[]>()
    this.#buffered.set(table, byKey)
    const ofKey = byKey.get(effect.key) ?? []
    byKey.set(effect.key, ofKey)
    if (!ofKey.includes(traced)) ofKey.push(traced)
    traced.effect = effect
  }

  #settle(traced: TracedChange, outcome: TraceOutcome, reason: string): void {
    traced.outcome = outcome
    traced.reason = reason
    traced.isSettled = true
    const others = this.#byChange.get(traced.change)?.filter((one) => one !== traced) ?? []
    if (others.length === 0) this.#byChange.delete(traced.change)
    else this.#byChange.set(traced.change, others)
  }

  /** The store has refused what it was sent for that record. */
  #storeRejected(tableName: string, record: number | undefined, reason: string): void {
    for (const [table, byKey] of this.#buffered) {
      if (table.plan.name !== tableName) continue
      for (const traced of [...byKey.values()].flat()) {
        if (!traced.isSettled && traced.change.record === record) this.#settle(traced, 'rejected', reason)
      }
    }
  }

  #settleFlush(): readonly TracedChange[] {
    const settled: TracedChange[] = []
    const seen = new Set<TracedChange[]>()
    for (const event of this.#applied) {
      const table = this.#tables.find(({ plan }) => plan.name === event.plan.name)
      const byKey = table && this.#buffered.get(table)
      const ofKey = byKey?.get(event.change.key)
      // the second wave of a key: its changes were settled with the first
      if (table === undefined || ofKey === undefined || seen.has(ofKey)) continue
      seen.add(ofKey)
      byKey?.delete(event.change.key)
      const waiting = ofKey.filter(({ isSettled }) => !isSettled)
      const waves = this.#applied.filter(({ plan, change }) => plan === event.plan && change.key === event.change.key)
      this.#settleKey(table, waiting, waves)
      settled.push(...waiting)
    }
    this.#applied = []
    return settled
  }

  /** Applies the changes that were folded one after the other to what was stored before the flush. */
  #settleKey(table: TracedTable, waiting: readonly TracedChange[], waves: readonly ApplyEvent[]): void {
    let stored = waves[0]?.before
    for (const traced of waiting) {
      const effect = completed(traced.effect as MergeChange, waves)
      const applied = this.#applyOne(table, stored, effect, refusalOf(waves))
      const step = { record: traced.row, stored, change: effect, applied }
      traced.columns = applied.outcome === 'rejected' ? {} : explainColumns(table.plan.merge, step)
      if (effect.op === 'insert') traced.appended = applied.row
      this.#settle(traced, outcomeOf(applied), appliedReason(table, step, traced.columns))
      stored = applied.row
    }
  }

  /** `refusal`: the store refused what the changes made together. */
  #applyOne(table: TracedTable, stored: Row | undefined, effect: MergeChange, refusal: Applied | undefined): Applied {
    if (effect.op === 'insert') return { outcome: 'applied', row: effect.row.map((value) => value ?? null) as Row }
    const applied = table.merge.apply(stored, effect)
    return refusal === undefined || applied.outcome === 'rejected' ? applied : { ...refusal, row: stored }
  }
}

/** With one wave everything in it shares its fate; of several, the refused one has been told of by its record. */
function refusalOf(waves: readonly ApplyEvent[]): Applied | undefined {
  const [only, ...others] = waves
  return others.length === 0 && only?.applied.outcome === 'rejected' ? only.applied : undefined
}

function notDeclared({ table }: Change): string {
  return table === undefined ? 'it names no table' : `it is of table ${table}, which is not declared`
}

/** A row that moved lacks columns, which the store has filled from the row under the old key. */
function completed(effect: MergeChange, waves: readonly ApplyEvent[]): MergeChange {
  const filled = waves[0]?.change
  if (effect.moveFrom === undefined || filled === undefined) return effect
  return { ...effect, row: effect.row.map((value, at) => value ?? filled.row[at]), moveFrom: undefined }
}

function outcomeOf({ outcome }: Applied): TraceOutcome {
  return outcome === 'unchanged' ? 'ignored' : outcome
}
