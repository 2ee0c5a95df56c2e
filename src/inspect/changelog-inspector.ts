import type { Change, ChangelogElement } from '../changelog/element.ts'
import { compareOffsets, type Offset } from '../changelog/position.ts'
import type { TidegateError } from '../errors.ts'
import { losslessDigits } from '../row/exact-json.ts'
import { toJsonText } from '../row/json-text.ts'
import type { RowObject } from '../row/row.ts'
import type { RowKind } from '../row/row-kind.ts'
import { compareCodePoints } from '../row/value.ts'
import { adviceOf } from './advice.ts'
import { CaseCounter } from './case-counter.ts'
import type { InspectReport } from './inspect-report.ts'
import { keyTextOf } from './row-view.ts'
import { TableProfile, type TableProfileOptions } from './table-profile.ts'

export interface InspectorOptions {
  /** Of the input, for the report. */
  readonly name: string
  /** What is known of a table of the stream; undefined: its changes are none of our business. */
  readonly tableOf: (name: string | undefined) => TableProfileOptions | undefined
}

/** What whoever reads the input knows of it. */
export interface InputFacts {
  readonly format: InspectReport['format']
  readonly lines: number
  readonly records: number
}

/** Takes the elements of a changelog one by one and tells in the end what it holds. Writes nothing, needs no store. */
export class ChangelogInspector {
  readonly #options: InspectorOptions
  readonly #tables = new Map<string, TableProfile | undefined>()
  readonly #malformed = new CaseCounter()
  #malformedReason: string | null = null
  readonly #kinds: Record<RowKind, number> = { '+I': 0, '-U': 0, '+U': 0, '-D': 0 }
  readonly #images = { full: 0, partial: 0, key: 0 }
  readonly #control = { groupEnds: 0, watermarks: 0, truncates: 0, schemaChanges: 0 }
  readonly #deletes = { full: 0, keyOnly: 0 }
  #otherChanges = 0
  #groupChanges = 0
  readonly #openGroups = new Set<string>()
  /** By partition: the newest offset, and the record that brought it. */
  readonly #newest = new Map<string, { offset: Offset; record: number | undefined }>()
  readonly #halves = new Map<number, Change>()
  #pairs = 0
  /** Halves of updates that no id ties to their other half. */
  readonly #unpaired = { '-U': 0, '+U': 0 }
  #isKeyed = false
  readonly #keyChanges = new CaseCounter()
  /** By table and partition: the last change, if it was a delete. */
  readonly #lastDelete = new Map<string, Change>()
  #deleteCreatePairs = 0
  readonly #bigNumbers = new CaseCounter()
  readonly #bigNumberColumns = new Set<string>()
  #largest: { bytes: number; line: number } | null = null

  constructor(options: InspectorOptions) {
    this.#options = options
  }

  /** A record that could not be read. */
  malformed(error: TidegateError, record: number | undefined): void {
    this.#malformed.add(record)
    this.#malformedReason ??= error.message
  }

  add(element: ChangelogElement): void {
    switch (element.type) {
      case undefined:
      case 'change':
        this.#addChange(element)
        break
      case 'group-end':
        this.#control.groupEnds++
        if (element.group === undefined) this.#openGroups.clear()
        else this.#openGroups.delete(element.group)
        break
      case 'watermark':
        this.#control.watermarks++
        break
      case 'truncate':
        this.#control.truncates++
        this.#profileOf(element.table)?.histories?.truncate()
        break
      case 'schema-change':
        this.#control.schemaChanges++
        break
      case 'position':
        break
    }
  }

  /** Tables in the order in which they came. */
  profiles(): readonly TableProfile[] {
    return [...this.#tables.values()].filter((profile) => profile !== undefined)
  }

  report(facts: InputFacts): InspectReport {
    const profiles = this.profiles()
    const total = Object.values(this.#kinds).reduce((sum, count) => sum + count, 0)
    const isDeleteCreate = this.#kinds['-U'] + this.#kinds['+U'] === 0 && this.#deleteCreatePairs > 0
    const hasUpdates = this.#kinds['-U'] + this.#kinds['+U'] > 0
    const report: Omit<InspectReport, 'advice'> = {
      name: this.#options.name,
      ...facts,
      malformed: { ...this.#malformed.report(), firstReason: this.#malformedReason },
      changes: { total, ...this.#kinds },
      otherTables: {
        changes: this.#otherChanges,
        names: [...this.#tables].flatMap(([table, profile]) => (profile === undefined ? [table] : [])),
      },
      control: { ...this.#control },
      groups: { changes: this.#groupChanges, open: this.#openGroups.size },
      partitions: this.#newest.size,
      images: { ...this.#images },
      deletes: {
        ...this.#deletes,
        ofNothing: profiles.reduce((sum, { histories }) => sum + (histories?.deletesOfNothing ?? 0), 0),
      },
      updates: {
        pairs: this.#pairs,
        withoutBefore: Math.max(0, this.#unpaired['+U'] - this.#unpaired['-U']),
        keyChanges: this.#isKeyed ? this.#keyChanges.report() : null,
        encoding: hasUpdates ? 'update' : isDeleteCreate ? 'delete-create' : null,
        deleteCreatePairs: isDeleteCreate ? this.#deleteCreatePairs : 0,
      },
      numbersAbove2to53: { ...this.#bigNumbers.report(), columns: [...this.#bigNumberColumns].sort(compareCodePoints) },
      largestRow: this.#largest,
      tables: profiles.map((profile) => profile.report()),
    }
    return { ...report, advice: adviceOf(report) }
  }

  #profileOf(table: string | undefined): TableProfile | undefined {
    const name = table ?? ''
    if (!this.#tables.has(name)) {
      const options = this.#options.tableOf(table)
      this.#tables.set(name, options && new TableProfile(options))
    }
    return this.#tables.get(name)
  }

  #addChange(change: Change): void {
    const profile = this.#profileOf(change.table)
    if (profile === undefined) {
      this.#otherChanges++
      return
    }
    this.#kinds[change.kind]++
    if (change.group !== undefined) {
      this.#groupChanges++
      this.#openGroups.add(change.group)
    }
    const isRepeated = this.#isRepeated(change)
    profile.add(change, isRepeated)
    const image = profile.imageOf(change)
    this.#images[image]++
    if (change.kind === '-D') this.#deletes[image === 'key' ? 'keyOnly' : 'full']++
    const { key } = profile.options
    if (key !== undefined) this.#isKeyed = true
    this.#pair(change, profile)
    this.#deleteCreate(change, profile)
    this.#measure(change)
  }

  /** Its position was passed before, by another record. */
  #isRepeated({ position, record }: Change): boolean {
    if (position === undefined) return false
    const newest = this.#newest.get(position.partition)
    const order = newest === undefined ? 1 : (compareOffsets(position.offset, newest.offset) ?? 1)
    if (order <= 0) return newest?.record !== record
    this.#newest.set(position.partition, { offset: position.offset, record })
    return false
  }

  #pair(change: Change, { options, view }: TableProfile): void {
    if (change.pair === undefined) {
      if (change.kind === '-U' || change.kind === '+U') this.#unpaired[change.kind]++
      return
    }
    const first = this.#halves.get(change.pair)
    if (first === undefined) {
      this.#halves.set(change.pair, change)
      return
    }
    this.#halves.delete(change.pair)
    this.#pairs++
    if (options.key === undefined) return
    const [before, after] = [keyTextOf(options.key, view(first)), keyTextOf(options.key, view(change))]
    if (before !== undefined && after !== undefined && before !== after) this.#keyChanges.add(change.record)
  }

  /** A delete and, next in its partition, the insert of the same key. */
  #deleteCreate(change: Change, { options, view }: TableProfile): void {
    const place = JSON.stringify([change.table ?? null, change.position?.partition ?? null])
    const last = this.#lastDelete.get(place)
    this.#lastDelete.delete(place)
    if (change.kind === '-D' && change.pair === undefined) this.#lastDelete.set(place, change)
    if (last === undefined || change.kind !== '+I' || options.key === undefined) return
    const [before, after] = [keyTextOf(options.key, view(last)), keyTextOf(options.key, view(change))]
    if (before !== undefined && before === after) this.#deleteCreatePairs++
  }

  #measure({ row, record }: Change): void {
    const bytes = Buffer.byteLength(toJsonText(row))
    if (this.#largest === null || bytes > this.#largest.bytes) this.#largest = { bytes, line: record ?? 0 }
    const columns = Object.keys(row).filter((name) => holdsBigNumber(row[name]))
    if (columns.length === 0) return
    this.#bigNumbers.add(record)
    for (const name of columns) this.#bigNumberColumns.add(name)
  }
}

/** A number that a double would change. */
function holdsBigNumber(value: unknown): boolean {
  if (typeof value === 'bigint' || losslessDigits(value) !== undefined) return true
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false
  return Object.values(value as RowObject).some(holdsBigNumber)
}
