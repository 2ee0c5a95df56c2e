/** What one run took. */
export interface Run {
  /** Records a second. */
  readonly rate: number
  /** Microseconds of this process's CPU for each record: hardly moved by whatever else the machine does. */
  readonly cpuMicros: number
}

/** One way to do the work. */
export interface Contestant {
  readonly name: string
  readonly run: () => Promise<Run>
  /** It takes part only in the first round: too slow for more. */
  readonly once?: boolean | undefined
}

export interface Standing {
  readonly name: string
  readonly median: number
  readonly low: number
  readonly high: number
  readonly cpuMicros: number
}

/** Times the work on so many records. */
export async function measure(records: number, work: () => void | Promise<void>): Promise<Run> {
  const cpu = process.cpuUsage()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return { rate: records / seconds, cpuMicros: (user + system) / records }
}

/**
 * Runs the contestants in turn, round after round, so that whatever else the machine does hits all of them; one warm-up
 * round is thrown away. Only ratios within one contest mean anything.
 */
export async function contest(contestants: readonly Contestant[], rounds: number): Promise<readonly Standing[]> {
  const runs = new Map<string, Run[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run, once } of contestants) {
      if (once === true && round !== 1) continue
      const result = await run()
      if (round > 0) runs.set(name, [...(runs.get(name) ?? []), result])
    }
  }
  return [...runs].map(([name, all]) => {
    const rates = all.map(({ rate }) => rate).toSorted((a, b) => a - b)
    return {
      name,
      median: middle(rates),
      low: rates[0] as number,
      high: rates.at(-1) as number,
      cpuMicros: middle(all.map(({ cpuMicros }) => cpuMicros).toSorted((a, b) => a - b)),
    }
  })
}

function middle(sorted: readonly number[]): number {
  return sorted[sorted.length >> 1] as number
}

/** One line a contestant: rate, spread, CPU of this process for a record, ratio to `base`. */
export function formatStandings(standings: readonly Standing[], base?: string): string {
  const reference = standings.find(({ name }) => name === base)?.median
  const width = Math.max(...standings.map(({ name }) => name.length))
  return standings
    .map(({ name, median, low, high, cpuMicros }) => {
      const ratio = reference === undefined ? '' : `  ${(median / reference).toFixed(2)}`.padStart(8)
      const spread = `[${thousands(low)}-${thousands(high)}]`
      return `  ${name.padEnd(width)}  ${thousands(median)} k/s  ${spread}  ${cpuMicros.toFixed(1).padStart(5)} us${ratio}`
    })
    .join('\n')
}

function thousands(rate: number): string {
  return (rate / 1000).toFixed(rate < 100_000 ? 1 : 0).padStart(6)
}
