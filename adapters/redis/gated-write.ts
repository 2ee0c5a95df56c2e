import type { TableWriteResult } from '../../src/connector/batch.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import { callsOf, inParallel, type KeyedRow, runScript } from './calls.ts'
import type { Connection } from './client.ts'
import { writeGated } from './scripts.ts'
import type { Target } from './target.ts'
import { storeOrder } from './type-mapping.ts'

export interface GatedRow extends KeyedRow {
  readonly change: MergeChange
}

/** Whether one script can decide the change by the sequence that is stored, and needs nothing else of the row. */
export function isGated({ plan: { merge }, format }: Target, change: MergeChange): boolean {
  if (format !== 'hash' || merge.engine !== 'deduplicate' || change.moveFrom !== undefined) return false
  const fields = merge.sequence?.columns ?? []
  if (!fields.every((at) => storeOrder(merge.columns[at]?.type ?? { name: 'JSON' }) !== undefined)) return false
  if (change.op === 'delete') return merge.deleteMode !== 'soft' && change.ungated !== true
  return change.op === 'upsert' && isComplete(change, merge.declaredCount)
}

/** The arguments of one row. Throws `UnsendableValue`. */
export function gatedRow({ plan: { merge }, codec }: Target, key: string, change: MergeChange): GatedRow {
  const left = new Set([...merge.key, ...(merge.sequence?.columns ?? [])])
  const isDelete = change.op === 'delete'
  const row = isDelete ? Array.from(change.row, (value, at) => (left.has(at) ? value : null)) : change.row
  const texts = codec.encode(row, isDelete && merge.deleteMode === 'tombstone')
  const op = !isDelete ? 'u' : merge.deleteMode === 'tombstone' ? 'd' : 'x'
  return { key, change, args: [op, ...texts.map(argument)] }
}

/** A value is its text behind `=`, so that an empty text is told from none. */
export function argument(text: string | null): string {
  return text === null ? '' : `=${text}`
}

/** `wrong`: rows whose names are those of something else. */
export async function writeGatedRows(
  connection: Connection,
  target: Target,
  rows: readonly GatedRow[],
): Promise<TableWriteResult & { readonly wrong: readonly GatedRow[] }> {
  const head = gateArguments(target)
  const wrong: GatedRow[] = []
  const answers = await inParallel(callsOf(connection, rows), async (call) => {
    const [stale, places] = (await runScript(connection, writeGated, call, head)) as [number, readonly number[]]
    for (const place of places) wrong.push(call[Number(place) - 1] as GatedRow)
    return Number(stale)
  })
  const stale = answers.reduce((sum, one) => sum + one, 0)
  return { written: rows.length - stale - wrong.length, stale, wrong }
}

function gateArguments({ plan: { merge }, codec, rowLifeMs, tombstoneLifeMs }: Target): readonly string[] {
  const { sequence } = merge
  const fields = (sequence?.columns ?? []).flatMap((at) => {
    const order = storeOrder(merge.columns[at]?.type ?? { name: 'JSON' })
    return [String(codec.positions.indexOf(at) + 1), order === 'number' ? 'n' : 't']
  })
  return [
    ...[String(codec.names.length), ...codec.names],
    ...[String(fields.length / 2), ...fields],
    sequence?.descending === true ? '1' : '0',
    sequence?.tie === 'first-arrival' ? '1' : '0',
    ...[String(rowLifeMs), String(tombstoneLifeMs)],
  ]
}

function isComplete({ row }: MergeChange, declaredCount: number): boolean {
  for (let at = 0; at < declaredCount; at++) if (row[at] === undefined) return false
  return true
}
