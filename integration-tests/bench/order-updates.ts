/** Row of the benchmark table: about 200 bytes as JSON. */
export interface OrderUpdate {
  readonly id: bigint
  readonly customer: string
  readonly amount: string
  readonly updated_at: string
  readonly note: string
  readonly version: bigint
}

export const orderColumns = `
  id BIGINT, customer STRING, amount DECIMAL(12, 2), updated_at TIMESTAMP(6), note STRING, version BIGINT,
  PRIMARY KEY (id) NOT ENFORCED`

/** `count` updates over `keys` keys in an order that is the same in every run; versions grow. */
export function orderUpdates(count: number, keys: number): OrderUpdate[] {
  let seed = 42
  const random = (): number => {
    // a linear congruential generator (Numerical Recipes): the same sequence on every machine
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 2 ** 32
  }
  return Array.from({ length: count }, (_, index) => ({
    id: BigInt(Math.floor(random() * keys)),
    customer: `customer-${String(index % 9973).padStart(8, '0')}`,
    amount: `${index % 100_000}.${String(index % 100).padStart(2, '0')}`,
    updated_at: `2026-01-01T00:${String(index % 60).padStart(2, '0')}:00.${String(index % 1_000_000).padStart(6, '0')}`,
    note: `note number ${index % 1000}`,
    version: BigInt(index),
  }))
}
