import type { TestProject } from 'vitest/node'
import { ServiceUnavailable } from './services/service-unavailable.ts'
import { clickhouseStores } from './stores/clickhouse-stores.ts'
import { mysqlStores } from './stores/mysql-stores.ts'
import { postgresStores } from './stores/postgres-stores.ts'
import { redisStores } from './stores/redis-stores.ts'
import { searchStores } from './stores/search-stores.ts'
import type { StoreStart } from './stores/store-start.ts'
import type { StoreStatus } from './stores.ts'

/** Starts each server once a run; every test file makes a database of its own in it. */
export default async function startStores(project: TestProject): Promise<() => Promise<void>> {
  const stops: (() => Promise<void>)[] = []
  const started = await Promise.all(
    chosenStores(project.vitest.vite.config.mode).map((store) => statusOf(store, stops)),
  )
  project.provide('stores', started)
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

/** Those that `TIDEGATE_TEST_STORES` names, else the quick set, or with `--mode all` every one. */
function chosenStores(mode: string): readonly StoreStart[] {
  const all = [...postgresStores(), ...mysqlStores(), ...clickhouseStores(), ...redisStores(), ...searchStores()]
  const named = process.env['TIDEGATE_TEST_STORES']?.split(',')
  if (named !== undefined) return all.filter(({ name }) => named.includes(name))
  return mode === 'all' ? all : all.filter(({ set }) => set === 'quick')
}

const reasonLengthMax = 400

async function statusOf({ name, start }: StoreStart, stops: (() => Promise<void>)[]): Promise<StoreStatus> {
  try {
    const { status, stop } = await start()
    stops.push(stop)
    return { name, ...status }
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ').slice(0, reasonLengthMax)
    return { name, missing: reason, broken: !(error instanceof ServiceUnavailable) }
  }
}
