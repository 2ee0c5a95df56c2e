import type { Change } from '../../src/changelog/element.ts'

/** Sums take every change exactly once or are wrong; versions stand for tables that converge. */
export const crashTables = {
  sums: 'id BIGINT, total BIGINT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED',
  versions: 'id BIGINT, version BIGINT, body STRING, PRIMARY KEY (id) NOT ENFORCED',
} as const

export type CrashTable = keyof typeof crashTables

export interface InputRecord {
  readonly offset: number
  readonly changes: readonly Change[]
}

const idCount = 12

/**
 * A made-up source, the same for the same seed: rows that are added up, corrections of earlier ones (two changes in one
 * record), and rows that are replaced or deleted. Offsets count from 1.
 */
export function crashInput(seed: number, recordCount: number): readonly InputRecord[] {
  const random = randomNumbers(seed)
  const added: { id: number; total: number }[] = []
  const versions = new Map<number, number>()
  return Array.from({ length: recordCount }, (_, index) => {
    const offset = index + 1
    const position = { partition: 'source', offset }
    const id = random(idCount)
    const choice = random(10)
    if (choice < 5 || added.length === 0) {
      const total = random(1000) - 300
      added.push({ id, total })
      return { offset, changes: [{ kind: '+I', table: 'sums', row: { id, total, n: 1 }, position }] }
    }
    if (choice < 7) {
      const corrected = added[random(added.length)] as { id: number; total: number }
      const before = { ...corrected, n: 1 }
      corrected.total = random(1000) - 300
      const after = { ...corrected, n: 1 }
      const common = { table: 'sums', position, pair: offset }
      return {
        offset,
        changes: [
          { ...common, kind: '-U', row: before, more: true },
          { ...common, kind: '+U', row: after },
        ],
      }
    }
    const version = (versions.get(id) ?? 0) + 1
    versions.set(id, version)
    const kind = choice === 9 ? '-D' : '+U'
    return { offset, changes: [{ kind, table: 'versions', row: { id, version, body: `v${offset}` }, position }] }
  })
}

/** The rows of both tables once the first so many records are written, as text. */
export interface CrashState {
  readonly sums: Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, string>>
}

/** Added up by hand: nothing of what is tested has a part in it. */
export function stateAfter(records: readonly InputRecord[], offset: number): CrashState {
  const sums = new Map<unknown, { total: number; n: number }>()
  const versions = new Map<unknown, string>()
  for (const { kind, table, row } of records
    .filter((record) => record.offset <= offset)
    .flatMap((one) => one.changes)) {
    const { id } = row
    if (table === 'versions') {
      if (kind === '-D') versions.delete(id)
      else versions.set(id, `${Number(row['version'])} ${String(row['body'])}`)
      continue
    }
    const sign = kind === '-U' ? -1 : 1
    const sum = sums.get(id) ?? { total: 0, n: 0 }
    sums.set(id, { total: sum.total + sign * Number(row['total']), n: sum.n + sign * Number(row['n']) })
  }
  const sumTexts = [...sums].map(([id, { total, n }]) => [String(id), `${total} ${n}`] as const)
  return {
    sums: Object.fromEntries(sumTexts),
    versions: Object.fromEntries([...versions].map(([id, text]) => [String(id), text])),
  }
}

/** Numbers below a limit: a linear congruential generator, whose quality is enough here. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed * 2654435761 + 1
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
