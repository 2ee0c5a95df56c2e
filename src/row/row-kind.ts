/** Kind of a changelog row, in Flink's short form: insert, update-before, update-after, delete. */
export type RowKind = '+I' | '-U' | '+U' | '-D'

export const rowKinds: readonly RowKind[] = ['+I', '-U', '+U', '-D']

/** +I and +U: the row is there after the change. */
export function isAdd(kind: RowKind): boolean {
  return kind === '+I' || kind === '+U'
}

/** -U and -D: an earlier version is taken back. */
export function isRetract(kind: RowKind): boolean {
  return kind === '-U' || kind === '-D'
}

export function parseRowKind(text: unknown): RowKind | undefined {
  return rowKinds.includes(text as RowKind) ? (text as RowKind) : undefined
}
