import type { RejectedChange } from '../../src/connector/batch.ts'
import { RowStage } from '../../src/connector/row-stage.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { Row } from '../../src/row/row.ts'
import type { FoldKey } from '../../src/row/row-key.ts'
import type { RedisArgument } from './client.ts'
import { groupBy } from './group-by.ts'
import { encodeJsonRow } from './json-rows.ts'
import type { Link } from './link.ts'
import { readStored, type Stored, withKey } from './stored-rows.ts'
import { encodeChange, encodeWholeRow, type RedisTable } from './table.ts'
import { UnsendableValue } from './type-mapping.ts'

/** One change with the key that it goes to. */
export interface KeyedChange {
  readonly change: MergeChange
  readonly key: string
}

/** The changes of one table in one call. */
export interface TablePart {
  /** Place of the table in the batch. */
  readonly at: number
  /** Index of the table in the domain. */
  readonly index: number
  readonly table: RedisTable
  /** The table is emptied before (rule K5). */
  readonly isEmpty: boolean
  readonly changes: readonly KeyedChange[]
}

/** A part as the script takes it. */
export interface EncodedPart {
  readonly spec: string
  readonly puts: boolean
  readonly isEmpty: boolean
  readonly entries: readonly Entry[]
}

export interface Entry {
  readonly key: string
  readonly args: readonly RedisArgument[]
  /** The changes that go down with it. */
  readonly changes: readonly KeyedChange[]
}

export interface PreparedPart {
  readonly part: TablePart
  readonly encoded: EncodedPart
  /** What became of the changes where the script does not say; undefined: it does. */
  readonly counts: { readonly written: number; readonly stale: number } | undefined
  readonly rejected: readonly RejectedChange[]
}

/** Makes the part ready to be sent: as changes that the script merges, or read, merged, and as rows to put back. */
export async function preparePart(link: Link, part: TablePart): Promise<PreparedPart> {
  return needsMerge(part) ? await mergePart(link, part) : encodePart(part)
}

/** A move needs another row than its own. */
function needsMerge({ table, changes }: TablePart): boolean {
  if (table.plan.merge.key.length === 0) return false
  return !table.mergesInScript || changes.some(({ change }) => change.moveFrom !== undefined)
}

function encodePart(part: TablePart): PreparedPart {
  const { table, index } = part
  const entries: Entry[] = []
  const rejected: RejectedChange[] = []
  const blocked = new Set<FoldKey>()
  for (const keyed of part.changes) {
    const { change, key } = keyed
    if (blocked.has(change.key)) {
      rejected.push({ table: index, change, reason: afterRejected })
      continue
    }
    try {
      entries.push({ key, args: encodeChange(table, change), changes: [keyed] })
    } catch (error) {
      rejected.push({ table: index, change, reason: reasonOf(error) })
      blocked.add(change.key)
    }
  }
  const encoded = { spec: table.specs.script, puts: false, isEmpty: part.isEmpty, entries }
  return { part, encoded, counts: undefined, rejected }
}

export const afterRejected = 'an earlier change of the key was rejected'

function reasonOf(error: unknown): string {
  if (error instanceof UnsendableValue) return error.message
  throw error
}

async function mergePart(link: Link, part: TablePart): Promise<PreparedPart> {
  const { table, index, changes, isEmpty } = part
  const { merge } = table.plan
  const byKey = groupBy(changes, ({ change }) => change.key)
  const keys = new Set(changes.map(({ key }) => key))
  const moved = new Map<FoldKey, { key: string; row: Row }>()
  for (const { change } of changes) {
    if (change.moveFrom === undefined) continue
    const key = table.template.keyOf(change.moveFrom.row)
    moved.set(change.moveFrom.key, { key, row: change.moveFrom.row })
    keys.add(key)
  }
  const stored = isEmpty ? new Map<string, Stored>() : await readStored(link, table, [...keys])
  const rowOf = (key: FoldKey): Row | undefined => {
    const first = byKey.get(key)?.[0]
    const from = moved.get(key)
    const found = stored.get(first?.key ?? from?.key ?? '')
    if (found === undefined || 'fault' in found || found.row === undefined) return undefined
    return withKey(found.row, table, first?.change.row ?? from?.row ?? [])
  }
  const stage = new RowStage({ plan: table.plan, stored: rowOf })
  if (isEmpty) stage.truncate()
  const rejected: RejectedChange[] = []
  const sound = changes.filter(({ change, key }) => {
    const found = stored.get(key)
    if (found === undefined || !('fault' in found)) return true
    rejected.push({ table: index, change, reason: found.fault })
    return false
  })
  const outcome = stage.applyWave(
    index,
    sound.map(({ change }) => change),
  )
  rejected.push(...outcome.rejected)
  const entries: Entry[] = []
  let lost = 0
  for (const [foldKey, row] of stage.rows) {
    const of = byKey.get(foldKey) ?? []
    const key = of[0]?.key ?? ''
    const found = stored.get(key)
    const digest = found !== undefined && 'digest' in found ? found.digest : ''
    const before = rowOf(foldKey)
    try {
      entries.push({ key, args: [...putOf(table, before, row), digest], changes: of })
    } catch (error) {
      const reason = reasonOf(error)
      for (const { change } of of) rejected.push({ table: index, change, reason })
      lost += of.length
    }
  }
  const encoded = { spec: table.specs.put, puts: true, isEmpty, entries }
  return { part, encoded, counts: { written: outcome.written - lost, stale: outcome.stale }, rejected }

  function putOf(of: RedisTable, before: Row | undefined, row: Row | undefined): RedisArgument[] {
    if (row === undefined) return ['k-']
    const { deletedFlag } = merge
    const isHidden = (one: Row): boolean => deletedFlag !== undefined && one[deletedFlag] === true
    const isDeleted = isHidden(row)
    // a tombstone that is made or lifted starts with an empty key, and so with a time to live of its own
    const startsOver = before === undefined || isHidden(before) !== isDeleted
    const { letters, args } =
      of.format === 'json' ? { letters: 'v', args: [encodeJsonRow(of, row)] } : encodeWholeRow(of, row)
    return [`${isDeleted ? 't' : 'p'}${startsOver ? '+' : '-'}${letters}`, ...args]
  }
}
