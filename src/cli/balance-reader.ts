/** Somebody who looks at a bank while it is written: each transfer changes an account, a teller and a branch alike. */
export interface BalanceView {
  readonly reads: number
  /** Reads in which the three sums were not equal: half of a transaction was there. */
  readonly tornReads: number
}

/** The part of PGlite that the reader uses. */
export interface QueryClient {
  query<Row>(text: string): Promise<{ readonly rows: readonly Row[] }>
}

const balances = `select (select sum(abalance) from pgbench_accounts) as accounts,
  (select sum(tbalance) from pgbench_tellers) as tellers, (select sum(bbalance) from pgbench_branches) as branches`

interface Balances {
  readonly accounts: bigint | number | null
  readonly tellers: bigint | number | null
  readonly branches: bigint | number | null
}

/** Reads the three sums over and over, as fast as the database lets it, until `stop`. */
export class BalanceReader {
  readonly #client: QueryClient
  #isStopped = false
  #reads = 0
  #tornReads = 0
  readonly #reading: Promise<void>

  constructor(client: QueryClient) {
    this.#client = client
    this.#reading = this.#read()
  }

  async stop(): Promise<BalanceView> {
    this.#isStopped = true
    await this.#reading
    return { reads: this.#reads, tornReads: this.#tornReads }
  }

  async #read(): Promise<void> {
    while (!this.#isStopped) {
      const { rows } = await this.#client.query<Balances>(balances)
      const [row] = rows
      this.#reads++
      if (row !== undefined && !(row.accounts === row.tellers && row.tellers === row.branches)) this.#tornReads++
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }
}
