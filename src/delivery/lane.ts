import type { FoldKey } from '../row/row-key.ts'

/** The lane of a key; the same in every run, so that a key always stays in its lane. */
export function laneOf(key: FoldKey, lanes: number): number {
  if (lanes === 1) return 0
  return hash(key) % lanes
}

/** 32 bits, spread by the multiplier of Knuth's multiplicative hashing (numbers) or FNV-1a (text). */
function hash(key: FoldKey): number {
  // both halves count: ids made of a clock and a counter have low bits that hardly change
  if (typeof key === 'number') return spread((key | 0) ^ spread(key / 2 ** 32) ^ spread((key % 1) * 2 ** 32))
  if (typeof key === 'bigint') {
    return spread(Number(BigInt.asIntN(32, key)) ^ spread(Number(BigInt.asIntN(32, key >> 32n))))
  }
  let sum = 0x811c9dc5
  for (let index = 0; index < key.length; index++) {
    sum = Math.imul(sum ^ key.charCodeAt(index), 0x01000193)
  }
  return spread(sum)
}

function spread(value: number): number {
  return Math.imul(value, 0x9e3779b1) >>> 8
}
