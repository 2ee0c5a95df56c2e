/**
 * Where a record stands in its source. Opaque to tidegate and JSON-able; positions of one partition are ordered by
 * arrival (rule R1).
 */
export interface Position {
  /** E.g. `orders-3` for partition 3 of topic orders; `''` for a source that has only one. */
  readonly partition: string
  /** E.g. a Kafka offset, an LSN, a line number. */
  readonly offset: Offset
}

export type Offset = string | number | { readonly [member: string]: unknown }

/** The newest position of each partition. */
export type Positions = ReadonlyMap<string, Offset>

/**
 * Order of two offsets of one partition: numbers and digit strings by value, `X/Y` as a PostgreSQL LSN. Undefined for
 * anything else: then only the source can tell.
 */
export function compareOffsets(a: Offset, b: Offset): number | undefined {
  const x = offsetNumber(a)
  const y = offsetNumber(b)
  if (x === undefined || y === undefined) return undefined
  return x < y ? -1 : x > y ? 1 : 0
}

function offsetNumber(offset: Offset): bigint | undefined {
  if (typeof offset === 'number') return Number.isSafeInteger(offset) ? BigInt(offset) : undefined
  if (typeof offset !== 'string') return undefined
  if (/^\d+$/.test(offset)) return BigInt(offset)
  const lsn = /^([0-9A-Fa-f]{1,8})\/([0-9A-Fa-f]{1,8})$/.exec(offset)
  return lsn === null ? undefined : (BigInt(`0x${lsn[1]}`) << 32n) | BigInt(`0x${lsn[2]}`)
}
