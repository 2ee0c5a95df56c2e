/** One way to do the work: how many records it takes a second. */
export interface Contestant {
  readonly name: string
  /** Runs once and answers records a second. */
  readonly run: () => Promise<number>
  /** It takes part only in the first round: too slow for more. */
  readonly once?: boolean | undefined
}

export interface Standing {
  readonly name: string
  readonly median: number
  readonly low: number
  readonly high: number
}

/**
 * Runs the contestants in turn, round after round, so that whatever else the machine does hits all of them; one warm-up
 * round is thrown away. Only ratios within one contest mean anything.
 */
export async function contest(contestants: readonly Contestant[], rounds: number): Promise<readonly Standing[]> {
  const rates = new Map<string, number[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run, once } of contestants) {
      if (once === true && round !== 1) continue
      const rate = await run()
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate])
    }
  }
  return [...rates].map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b)
    return {
      name,
      median: sorted[sorted.length >> 1] as number,
      low: sorted[0] as number,
      high: sorted.at(-1) as number,
    }
  })
}

/** One line a contestant: rate, spread, ratio to `base`. */
export function formatStandings(standings: readonly Standing[], base?: string): string {
  const reference = standings.find(({ name }) => name === base)?.median
  const width = Math.max(...standings.map(({ name }) => name.length))
  return standings
    .map(({ name, median, low, high }) => {
      const ratio = reference === undefined ? '' : `  ${(median / reference).toFixed(2)}`.padStart(8)
      return `  ${name.padEnd(width)}  ${thousands(median)} k/s  [${thousands(low)}-${thousands(high)}]${ratio}`
    })
    .join('\n')
}

function thousands(rate: number): string {
  return (rate / 1000).toFixed(rate < 100_000 ? 1 : 0).padStart(6)
}
