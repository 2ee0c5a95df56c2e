import type { RowKind } from '../row/row-kind.ts'

/**
 * Which row kinds a stream carries: insert-only `[I]`, upsert `[I,UA,D]`, retract `[I,UB,UA,D]`; `unknown` is a stream of
 * which nothing is known until its records come (rule K7).
 */
export type ChangelogMode = 'insert-only' | 'upsert' | 'retract' | 'unknown'

export const changelogModes: readonly ChangelogMode[] = ['insert-only', 'upsert', 'retract', 'unknown']

const kindsOf: Record<ChangelogMode, readonly RowKind[]> = {
  'insert-only': ['+I'],
  upsert: ['+I', '+U', '-D'],
  retract: ['+I', '-U', '+U', '-D'],
  unknown: ['+I', '-U', '+U', '-D'],
}

const tokens: Record<RowKind, string> = { '+I': 'I', '-U': 'UB', '+U': 'UA', '-D': 'D' }

export function modeContains(mode: ChangelogMode, kind: RowKind): boolean {
  return kindsOf[mode].includes(kind)
}

/** In the tokens of Flink's EXPLAIN CHANGELOG_MODE: `[I,UB,UA,D]`. */
export function formatKinds(kinds: Iterable<RowKind>): string {
  const given = new Set(kinds)
  const order: readonly RowKind[] = ['+I', '-U', '+U', '-D']
  return `[${order
    .filter((kind) => given.has(kind))
    .map((kind) => tokens[kind])
    .join(',')}]`
}

export function kindsOfMode(mode: ChangelogMode): readonly RowKind[] {
  return kindsOf[mode]
}
