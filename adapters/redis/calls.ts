import type { Connection } from './client.ts'
import { RedisFailure } from './failures.ts'
import { hashSlot } from './hash-slot.ts'
import type { Script } from './scripts.ts'

/** While a script runs the server serves nobody else: a few hundred rows take about a millisecond. */
const rowsPerCallMax = 200
const bytesPerCallMax = 512 * 1024

export interface KeyedRow {
  readonly key: string
  /** What the script reads of the row, beside its name. */
  readonly args: readonly string[]
}

/** Rows that one call takes: on a cluster those of one slot. */
export function callsOf<Item extends KeyedRow>(
  connection: Connection,
  items: readonly Item[],
): readonly (readonly Item[])[] {
  const groups = connection.isCluster ? bySlot(items) : [items]
  return groups.flatMap((group) => {
    const calls: Item[][] = []
    let bytes = 0
    for (const item of group) {
      const size = item.args.reduce((sum, arg) => sum + arg.length, item.key.length)
      const last = calls.at(-1)
      if (last === undefined || last.length >= rowsPerCallMax || bytes + size > bytesPerCallMax) {
        calls.push([item])
        bytes = size
      } else {
        last.push(item)
        bytes += size
      }
    }
    return calls
  })
}

/** By its digest; a server that does not know it, as after a restart, is given the text. */
export async function runScript(
  connection: Connection,
  { sha, text }: Script,
  rows: readonly KeyedRow[],
  head: readonly string[],
): Promise<unknown> {
  const keys = rows.map(({ key }) => key)
  const rest = [String(keys.length), ...keys, ...head, ...rows.flatMap(({ args }) => args)]
  try {
    return await connection.call(keys[0], ['EVALSHA', sha, ...rest])
  } catch (error) {
    if (!(error instanceof RedisFailure) || error.code !== 'NOSCRIPT') throw error
    return await connection.call(keys[0], ['EVAL', text, ...rest])
  }
}

/** All calls are sent at once, and go out in one piece of the pipeline. The first failure is thrown once all have ended. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = await Promise.allSettled(items.map(work))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return results.map((result) => (result as PromiseFulfilledResult<Result>).value)
}

function bySlot<Item extends KeyedRow>(items: readonly Item[]): readonly (readonly Item[])[] {
  const slots = new Map<number, Item[]>()
  for (const item of items) {
    const slot = hashSlot(item.key)
    const ofSlot = slots.get(slot)
    if (ofSlot === undefined) slots.set(slot, [item])
    else ofSlot.push(item)
  }
  return [...slots.values()]
}
