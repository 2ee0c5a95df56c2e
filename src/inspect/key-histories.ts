import type { Change } from '../changelog/element.ts'
import type { RowObject } from '../row/row.ts'
import { isAdd, type RowKind } from '../row/row-kind.ts'
import { CaseCounter } from './case-counter.ts'
import type { KeyedReport, KeySource } from './inspect-report.ts'
import { keyTextOf, ownMember, sameValue } from './row-view.ts'

/** What the changes so far say of one key. */
interface KeyHistory {
  /** Undefined: there is no row. */
  row: RowObject | undefined
  /** A `-U` has taken the row back, and its `+U` has not come. */
  retracted: boolean
  /** Line of that `-U`. */
  updateBefore: number | undefined
  lastKind: RowKind
  lastRow: RowObject
  lastRecord: number | undefined
  partition: string | undefined
  severalPartitions: boolean
}

/**
 * Follows each key of one table in the order of arrival: which row is current, which retractions do not agree with it (rule
 * O2), what is repeated. Keeps the last row of every key in memory.
 */
export class KeyHistories {
  readonly #key: readonly string[]
  readonly #keySource: KeySource
  readonly #histories = new Map<string, KeyHistory>()
  readonly #withoutKey = new CaseCounter()
  readonly #unmatched = new CaseCounter()
  readonly #lone = new CaseCounter()
  readonly #redelivered = new CaseCounter()
  #matched = 0
  #unseen = 0
  #deletesOfNothing = 0

  constructor(key: readonly string[], keySource: KeySource) {
    this.#key = key
    this.#keySource = keySource
  }

  get deletesOfNothing(): number {
    return this.#deletesOfNothing
  }

  /** `isRepeated`: its position in the source was passed before. */
  add(change: Change, row: RowObject, isRepeated: boolean): void {
    const key = keyTextOf(this.#key, row)
    if (key === undefined) {
      this.#withoutKey.add(change.record)
      return
    }
    const known = this.#histories.get(key)
    if (isRepeated || (known !== undefined && this.#repeats(known, change, row))) this.#redelivered.add(change.record)
    else if (!isAdd(change.kind)) this.#checkRetraction(known, change, row)
    if (known === undefined) this.#histories.set(key, newHistory(change, row))
    else this.#follow(known, change, row)
  }

  truncate(): void {
    for (const history of this.#histories.values()) history.row = undefined
  }

  /** The rows that are left, in the order in which their keys first came. */
  *rows(): IterableIterator<RowObject> {
    for (const { row, retracted } of this.#histories.values()) if (row !== undefined && !retracted) yield row
  }

  report(): KeyedReport {
    let rowsLeft = 0
    let inSeveral = 0
    for (const { row, retracted, updateBefore, severalPartitions } of this.#histories.values()) {
      if (row !== undefined && !retracted) rowsLeft++
      if (updateBefore !== undefined) this.#lone.add(updateBefore)
      if (severalPartitions) inSeveral++
    }
    return {
      key: this.#key,
      keySource: this.#keySource,
      keys: this.#histories.size,
      rowsLeft,
      withoutKey: this.#withoutKey.report(),
      matched: this.#matched,
      unmatched: this.#unmatched.report(),
      unseen: this.#unseen,
      loneUpdateBefores: this.#lone.report(),
      redelivered: this.#redelivered.report(),
      keysInSeveralPartitions: inSeveral,
    }
  }

  /** The same kind with the same row again, from another record. */
  #repeats(known: KeyHistory, { kind, record }: Change, row: RowObject): boolean {
    if (known.lastKind !== kind || known.lastRecord === record) return false
    const names = Object.keys(row)
    return (
      names.length === Object.keys(known.lastRow).length &&
      names.every((name) => sameValue(row[name], ownMember(known.lastRow, name)))
    )
  }

  #checkRetraction(known: KeyHistory | undefined, { kind, record }: Change, row: RowObject): void {
    const hasRow = known?.row !== undefined && !known.retracted
    if (isKeyOnly(this.#key, row)) {
      if (kind === '-D' && !hasRow) this.#deletesOfNothing++
      return
    }
    if (known === undefined) this.#unseen++
    else if (hasRow && agrees(known.row, row)) this.#matched++
    else this.#unmatched.add(record)
  }

  #follow(known: KeyHistory, change: Change, row: RowObject): void {
    const { kind, record } = change
    if (isAdd(kind)) {
      known.row = known.row === undefined ? row : { ...known.row, ...row }
      known.retracted = false
      known.updateBefore = undefined
    } else if (kind === '-D') {
      this.#endUpdate(known)
      known.row = undefined
      known.retracted = false
    } else {
      this.#endUpdate(known)
      known.updateBefore = record ?? 0
      // a -U of another version takes nothing back
      known.retracted ||= known.row !== undefined && (isKeyOnly(this.#key, row) || agrees(known.row, row))
    }
    known.lastKind = kind
    known.lastRow = row
    known.lastRecord = record
    const partition = partitionOf(change)
    known.severalPartitions ||=
      known.partition !== undefined && partition !== undefined && partition !== known.partition
    known.partition = partition
  }

  #endUpdate(known: KeyHistory): void {
    if (known.updateBefore !== undefined) this.#lone.add(known.updateBefore)
    known.updateBefore = undefined
  }
}

/** Nothing but the key; nulls beside the key of a delete are no values. */
export function isKeyOnly(key: readonly string[], row: RowObject): boolean {
  return Object.entries(row).every(([name, value]) => key.includes(name) || value === null || value === undefined)
}

/** Every column that both carry has one value. */
function agrees(current: RowObject | undefined, image: RowObject): boolean {
  if (current === undefined) return false
  return Object.entries(image).every(([name, value]) => {
    const now = ownMember(current, name)
    return now === undefined || sameValue(now, value)
  })
}

function newHistory(change: Change, row: RowObject): KeyHistory {
  return {
    row: isAdd(change.kind) ? row : undefined,
    retracted: false,
    updateBefore: change.kind === '-U' ? (change.record ?? 0) : undefined,
    lastKind: change.kind,
    lastRow: row,
    lastRecord: change.record,
    partition: partitionOf(change),
    severalPartitions: false,
  }
}

function partitionOf({ position }: Change): string | undefined {
  return position?.partition
}
