import { must } from '../../src/assert.ts'
import type { Sequence, StoredColumn } from '../../src/merge/merge-plan.ts'
import type { Value } from '../../src/row/value.ts'
import { sequenceBits, toInteger } from './type-mapping.ts'

/** What versions are made of: the sequence of a row, or of a group of its columns. */
export interface Versioned {
  readonly sequence: Pick<Sequence, 'columns' | 'descending'> | undefined
  readonly columns: readonly StoredColumn[]
}

/** Bytes of the integer that the rows of a table are versioned by; undefined: the sequence does not fit. */
export function versionBytes({ sequence, columns }: Versioned): 8 | 16 | 32 | undefined {
  if (sequence === undefined) return 8
  let bits = 0
  for (const at of sequence.columns) bits += 1 + (sequenceBits(must(columns[at], 'a sequence column').type) ?? 256)
  return bits <= 128 ? 16 : bits <= 256 ? 32 : undefined
}

/**
 * A sequence as one unsigned integer with the same order: field by field, the most significant one on top, each behind a
 * bit that is 0 for NULL, which is so the lowest (rules G1, G4).
 */
export function versionOf({ sequence, columns }: Versioned, row: ArrayLike<unknown>): bigint {
  let version = 0n
  for (const at of sequence?.columns ?? []) {
    const { type } = must(columns[at], 'a sequence column')
    const bits = BigInt(must(sequenceBits(type), 'the plan refuses other types'))
    const value = row[at] as Value | null | undefined
    version <<= bits + 1n
    if (value === null || value === undefined) continue
    const shifted = toInteger(type, value) + (1n << (bits - 1n))
    version |= (1n << bits) | (sequence?.descending === true ? (1n << bits) - 1n - shifted : shifted)
  }
  return version
}

/**
 * Numbers for tables without a sequence, in the order of arrival: they grow from run to run, as the clock does, and within
 * a run whatever the clock does.
 */
export class ArrivalNumbers {
  #last: bigint

  /** `stored`: the highest number that the table holds. */
  constructor(stored: bigint) {
    const clock = BigInt(Date.now()) << 20n
    this.#last = clock > stored ? clock : stored
  }

  next(): bigint {
    this.#last++
    return this.#last
  }
}
