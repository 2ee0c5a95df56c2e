import fc from 'fast-check'
import { must } from '../assert.ts'
import type { Change, ChangelogElement } from '../changelog/element.ts'
import type { ErrorCode } from '../errors.ts'
import { formatDataType } from '../row/data-type.ts'
import type { RowKind } from '../row/row-kind.ts'
import type { Column, Schema } from '../row/schema.ts'
import type { Value } from '../row/value.ts'
import { type ModelGroup, type ModelRules, type ModelTable, readModelRules } from './model-rules.ts'
import { fewValues, nthValue } from './value-arbitrary.ts'

export interface StreamShape {
  /** Number of different keys. Default 4. */
  readonly keys?: number | undefined
  /** Steps of the source, each of one or two changes; below 100. Default 25. */
  readonly maxSteps?: number | undefined
  /** Some updates change the key: their halves carry one pair id (rule K6). Default false. */
  readonly keyChanges?: boolean | undefined
  /** Some updates leave columns out. Default false. */
  readonly patches?: boolean | undefined
  /** Deletes carry only the key (rule G6). Default false. */
  readonly keyOnlyDeletes?: boolean | undefined
  /** Nulls among the values. Default true. */
  readonly nulls?: boolean | undefined
}

/**
 * Legal changelogs of a source table that is updated in place: `+I`, `-U` with `+U`, `-D`, each image of what really stood
 * there. Under an engine that aggregates, a key stands for many source rows at once, and each may be taken back.
 * Sequence fields rise with every step; of several sequence groups each step speaks for one or for all.
 */
export function retractStream(table: ModelTable, shape: StreamShape = {}): fc.Arbitrary<Change[]> {
  return sourceSteps(table, shape).map((steps) => new SimulatedSource(table, shape).run(steps))
}

/** As `retractStream` without any `-U`: what an upsert source (a compacted topic) sends. */
export function upsertStream(table: ModelTable, shape: StreamShape = {}): fc.Arbitrary<Change[]> {
  return retractStream(table, { ...shape, keyChanges: false }).map((changes) =>
    changes.filter(({ kind }) => kind !== '-U').map((change) => ({ ...change, pair: undefined })),
  )
}

/** Inserts only. A key may come more than once. */
export function insertStream(table: ModelTable, shape: StreamShape = {}): fc.Arbitrary<Change[]> {
  return upsertStream(table, shape).map((changes) =>
    changes.filter(({ kind }) => kind !== '-D').map((change) => ({ ...change, kind: '+I' })),
  )
}

/** The kind of stream that a subject of the properties asks for. */
export function streamOf(
  table: ModelTable,
  stream: 'retract' | 'upsert' | 'additions' | 'insert',
  shape: StreamShape = {},
): fc.Arbitrary<Change[]> {
  switch (stream) {
    case 'retract':
      return retractStream(table, shape)
    case 'upsert':
      return upsertStream(table, shape)
    case 'additions':
      return upsertStream(table, shape).map((changes) => changes.filter(({ kind }) => kind !== '-D'))
    case 'insert':
      return insertStream(table, shape)
  }
}

/** Delivered at least once: now and then the source goes back and sends everything from there again. */
export function redelivered(changelog: fc.Arbitrary<Change[]>): fc.Arbitrary<Change[]> {
  const restarts = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { minLength: 1, maxLength: 2 })
  return fc.tuple(changelog, restarts).map(([changes, points]) => {
    const delivered: Change[] = []
    let from = 0
    for (const [end, back] of points) {
      const reached = from + (end % (changes.length - from + 1))
      delivered.push(...changes.slice(from, reached))
      from = back % (reached + 1)
    }
    return [...delivered, ...changes.slice(from)]
  })
}

/** The same changes in another order; `keeping-key-order` only mixes the keys with each other. */
export function disordered(
  changes: readonly Change[],
  schema: Schema,
  order: 'keeping-key-order' | 'breaking-key-order',
): fc.Arbitrary<Change[]> {
  const ranks = fc.array(fc.nat(), { minLength: changes.length, maxLength: changes.length })
  return ranks.map((given) => {
    const ranked = changes.map((change, index) => ({ change, rank: given[index] ?? 0, key: keyName(schema, change) }))
    if (order === 'breaking-key-order') return ranked.toSorted((a, b) => a.rank - b.rank).map(({ change }) => change)
    const slots = ranked.toSorted((a, b) => a.rank - b.rank).map(({ key }) => key)
    const queues = new Map<string, Change[]>()
    for (const { change, key } of ranked) queues.set(key, [...(queues.get(key) ?? []), change])
    return slots.map((key) => must(queues.get(key)?.shift(), 'each slot stands for one change of its key'))
  })
}

/** Cuts a changelog into groups (source transactions) that end with a mark; the halves of an update stay together. */
export function grouped(changelog: fc.Arbitrary<Change[]>): fc.Arbitrary<ChangelogElement[]> {
  return fc.tuple(changelog, fc.array(fc.boolean(), { minLength: 1, maxLength: 60 })).map(([changes, ends]) => {
    const elements: ChangelogElement[] = []
    let number = 1
    for (const [index, change] of changes.entries()) {
      elements.push({ ...change, group: `tx${number}` })
      const open = change.kind === '-U' && changes[index + 1]?.kind === '+U'
      if (open || (ends[index % ends.length] === false && index < changes.length - 1)) continue
      elements.push({ type: 'group-end', group: `tx${number}` })
      number++
    }
    return elements
  })
}

/** Each change with its place in a partition, from 1. */
export function positioned<Element extends ChangelogElement>(changelog: readonly Element[], partition = ''): Element[] {
  return changelog.map((element, index) => ({ ...element, position: { partition, offset: index + 1 } }))
}

/** Where a test flushes: after as many elements as the numbers say, in ascending order. */
export function cuts(length: number): fc.Arbitrary<number[]> {
  return fc.uniqueArray(fc.integer({ min: 1, max: Math.max(1, length) }), { maxLength: 8 }).map((places) => {
    return places.toSorted((a, b) => a - b)
  })
}

/** The same samples for the same seed. */
export function sampleOf<T>(arbitrary: fc.Arbitrary<T>, count: number, seed: number): T[] {
  return fc.sample(arbitrary, { numRuns: count, seed })
}

/** An arbitrary of one value. */
export function unchanging<T>(value: T): fc.Arbitrary<T> {
  return fc.constant(value)
}

/** Changes that no sink may take, by name, with the code by which they must be rejected. */
export function illegalChanges(
  schema: Schema,
): { readonly name: string; readonly change: Change; readonly code: ErrorCode }[] {
  const row = Object.fromEntries(schema.columns.map((column) => [column.name, nthValue(column.type, 1)]))
  const without = (name: string): Change => ({
    kind: '+I',
    row: Object.fromEntries(Object.entries(row).filter(([column]) => column !== name)),
  })
  const cases: { name: string; change: Change; code: ErrorCode }[] = []
  for (const [position, { name, type, nullable }] of schema.columns.entries()) {
    if (schema.primaryKey.includes(position)) {
      cases.push({
        name: `key column ${name} is null`,
        change: { kind: '+I', row: { ...row, [name]: null } },
        code: 'KEY_MISSING',
      })
      cases.push({ name: `key column ${name} is absent`, change: without(name), code: 'KEY_MISSING' })
    } else if (!nullable) {
      cases.push({
        name: `NOT NULL column ${name} is null`,
        change: { kind: '+I', row: { ...row, [name]: null } },
        code: 'ROW_INVALID',
      })
    }
    for (const value of unfit(type.name)) {
      const title = `${typeof value} in ${name} ${formatDataType(type)}`
      cases.push({ name: title, change: { kind: '+I', row: { ...row, [name]: value } }, code: 'ROW_INVALID' })
    }
  }
  if (schema.primaryKey.length === 0) {
    for (const kind of ['-U', '+U', '-D'] as const) {
      cases.push({ name: `${kind} without a primary key`, change: { kind, row }, code: 'KIND_UNSUPPORTED' })
    }
  }
  return cases
}

function unfit(name: Column['type']['name']): unknown[] {
  switch (name) {
    case 'TINYINT':
      return [128, 1.5, 'many']
    case 'SMALLINT':
      return [32768, 1.5, 'many']
    case 'INT':
      return [2147483648, 1.5, 'many']
    case 'BIGINT':
      // a number above 2^53 has lost digits before it came here
      return [2 ** 53 + 2, 9223372036854775808n, 'many']
    case 'BOOLEAN':
      return ['perhaps']
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return ['yesterday']
    case 'UUID':
      return ['not-a-uuid']
    default:
      return []
  }
}

function keyName(schema: Schema, change: Change): string {
  return JSON.stringify(schema.primaryKey.map((position) => String(change.row[schema.columns[position]?.name ?? ''])))
}

interface SourceStep {
  readonly what: 'put' | 'delete' | 'change-key'
  readonly key: number
  /** Which of the live rows of the key, where there are several. */
  readonly pick: number
  readonly values: readonly (Value | null)[]
  readonly present: readonly boolean[]
  /** Which sequence group speaks; beyond the last: all. */
  readonly group: number
}

function sourceSteps(table: ModelTable, shape: StreamShape): fc.Arbitrary<SourceStep[]> {
  const { columns } = table.schema
  const rules = readModelRules(table)
  const kinds: SourceStep['what'][] = ['put', 'put', 'put', 'put', 'delete']
  if (shape.keyChanges === true) kinds.push('change-key')
  const value = (column: Column): fc.Arbitrary<Value | null> =>
    column.nullable && shape.nulls !== false ? fc.option(fewValues(column.type), { freq: 5 }) : fewValues(column.type)
  const step = fc.record({
    what: fc.constantFrom(...kinds),
    key: fc.nat((shape.keys ?? 4) - 1),
    pick: fc.nat(9),
    values: fc.tuple(...columns.map(value)),
    present: fc.tuple(...columns.map(() => (shape.patches === true ? fc.boolean() : fc.constant(true)))),
    group: fc.nat(rules.groups.length),
  })
  return fc.array(step, { maxLength: shape.maxSteps ?? 25 })
}

type SourceRow = Readonly<Record<string, Value | null>>

/** The table that the changelog is of: which rows are live under each key. */
class SimulatedSource {
  readonly #columns: readonly Column[]
  readonly #rules: ModelRules
  readonly #shape: StreamShape
  readonly #many: boolean
  readonly #live = new Map<number, SourceRow[]>()
  readonly #changes: Change[] = []
  #clock = 0
  #pairs = 0

  constructor(table: ModelTable, shape: StreamShape) {
    this.#columns = table.schema.columns
    this.#rules = readModelRules(table)
    this.#shape = shape
    this.#many =
      this.#rules.engine === 'aggregation' || this.#rules.groups.some((group) => hasFunctions(this.#rules, group))
  }

  run(steps: readonly SourceStep[]): Change[] {
    for (const step of steps) {
      this.#clock++
      if (step.what === 'put') this.#put(step)
      else if (step.what === 'delete') this.#delete(step)
      else this.#changeKey(step)
    }
    return this.#changes
  }

  #put(step: SourceStep): void {
    const rows = this.#rowsOf(step.key)
    const at = step.pick % (rows.length + (this.#many ? 1 : 0) || 1)
    const old = rows[at]
    const row = this.#rowOf(step, step.key)
    rows[at] = row
    if (old === undefined) {
      this.#emit('+I', row)
      return
    }
    const pair = ++this.#pairs
    this.#emit('-U', old, pair)
    this.#emit('+U', this.#shape.patches === true ? this.#patched(step, row, old, rows, at) : row, pair)
  }

  #delete(step: SourceStep): void {
    const rows = this.#rowsOf(step.key)
    if (rows.length === 0) return
    const [row] = rows.splice(step.pick % rows.length, 1)
    if (row === undefined) return
    // the delete is newer than the version that it removes
    const image = this.#many ? row : { ...row, ...this.#sequence(step) }
    this.#emit('-D', this.#shape.keyOnlyDeletes === true ? this.#keyColumns(row) : image)
  }

  #changeKey(step: SourceStep): void {
    const rows = this.#rowsOf(step.key)
    const target = (step.key + 1) % (this.#shape.keys ?? 4)
    const [old] = rows
    if (old === undefined || this.#many || this.#rowsOf(target).length > 0) return
    rows.length = 0
    const row = this.#rowOf(step, target)
    this.#rowsOf(target).push(row)
    const pair = ++this.#pairs
    this.#emit('-U', old, pair)
    this.#emit('+U', row, pair)
  }

  /** The new image without some columns, which keep what stood there. */
  #patched(step: SourceStep, row: SourceRow, old: SourceRow, rows: SourceRow[], at: number): SourceRow {
    const required = [...this.#rules.key, ...this.#rules.sequence]
    const absent = this.#columns.filter(
      (column, index) => step.present[index] === false && !required.includes(column.name),
    )
    rows[at] = { ...row, ...Object.fromEntries(absent.map(({ name }) => [name, old[name] ?? null])) }
    return Object.fromEntries(Object.entries(row).filter(([name]) => !absent.some((column) => column.name === name)))
  }

  #rowsOf(key: number): SourceRow[] {
    const rows = this.#live.get(key) ?? []
    this.#live.set(key, rows)
    return rows
  }

  #rowOf(step: SourceStep, key: number): SourceRow {
    const row: Record<string, Value | null> = {}
    for (const [index, { name, type }] of this.#columns.entries()) {
      row[name] = this.#rules.key.includes(name) ? nthValue(type, key) : (step.values[index] ?? null)
    }
    return { ...row, ...this.#sequence(step) }
  }

  #keyColumns(row: SourceRow): SourceRow {
    return Object.fromEntries(Object.entries(row).filter(([name]) => this.#rules.key.includes(name)))
  }

  /** A tuple for `sequence.field` and one for each group that speaks in this step; silent groups have nulls. */
  #sequence(step: SourceStep): SourceRow {
    const { groups, sequence, descending } = this.#rules
    const row: Record<string, Value | null> = {}
    const set = (names: readonly string[], clock: number | undefined): void => {
      for (const [index, name] of names.entries()) {
        const column = must(
          this.#columns.find((candidate) => candidate.name === name),
          `${name} is a column`,
        )
        if (clock === undefined) row[name] = null
        // a compound sequence rises in its last field three times before the one in front of it does
        else if (names.length > 1) row[name] = nthValue(column.type, index === 0 ? Math.floor(clock / 3) : clock % 3)
        else row[name] = nthValue(column.type, clock)
      }
    }
    set(sequence, descending ? 99 - this.#clock : this.#clock)
    for (const [index, group] of groups.entries()) {
      set(group.sequence, step.group === index || step.group >= groups.length ? this.#clock : undefined)
    }
    return row
  }

  #emit(kind: RowKind, row: SourceRow, pair?: number): void {
    this.#changes.push({ kind, row, ...(pair === undefined ? {} : { pair }) })
  }
}

function hasFunctions(rules: ModelRules, group: ModelGroup): boolean {
  return group.columns.some((column) => rules.functions.has(column))
}
