import type { TestProject } from 'vitest/node'
import { startPostgresContainer } from './services/postgres-container.ts'
import { appRole, serverVersion } from './services/postgres-database.ts'
import { startPostgres } from './services/postgres-server.ts'
import { ServiceUnavailable } from './services/service-unavailable.ts'
import type { StoreStatus } from './stores.ts'

/** Starts each server once a run; every test file makes a database of its own in it. */
export default async function startStores(project: TestProject): Promise<() => Promise<void>> {
  const stops: (() => Promise<void>)[] = []
  const started = await Promise.all(starts().map((start) => statusOf(start, stops)))
  project.provide('stores', started)
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

interface StoreStart {
  readonly name: StoreStatus['name']
  readonly start: () => Promise<{ status: Omit<StoreStatus, 'name'>; stop: () => Promise<void> }>
}

function starts(): readonly StoreStart[] {
  const url = process.env['TIDEGATE_TEST_POSTGRES_URL']
  const chosen = process.env['TIDEGATE_TEST_STORES']?.split(',')
  const all: readonly StoreStart[] = [
    { name: 'pglite', start: findPglite },
    { name: 'postgres-machine', start: () => ownServer('machine', "of the machine's packages") },
    { name: 'postgres-npm', start: () => ownServer('npm', 'of npm') },
    { name: 'postgres-container', start: containerServer },
    ...(url === undefined ? [] : [{ name: 'postgres-url' as const, start: () => namedServer(url) }]),
  ]
  return all.filter(({ name }) => chosen === undefined || chosen.includes(name))
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

async function ownServer(source: 'machine' | 'npm', origin: string): ReturnType<StoreStart['start']> {
  const server = await startPostgres({ source })
  const postgres = { adminUrl: server.adminUrl, role: appRole }
  return { status: { version: `PostgreSQL ${server.version} ${origin}`, postgres }, stop: server.stop }
}

async function containerServer(): ReturnType<StoreStart['start']> {
  const server = await startPostgresContainer()
  const postgres = { adminUrl: server.adminUrl, role: appRole }
  return {
    status: { version: `PostgreSQL ${server.version} in a container on ${server.engine}`, postgres },
    stop: server.stop,
  }
}

async function namedServer(url: string): ReturnType<StoreStart['start']> {
  const version = `PostgreSQL ${await serverVersion(url)} of TIDEGATE_TEST_POSTGRES_URL`
  return { status: { version, postgres: { adminUrl: url } }, stop: async () => {} }
}

async function findPglite(): ReturnType<StoreStart['start']> {
  const { PGlite } = await import('@electric-sql/pglite')
  const engine = await PGlite.create()
  const { rows } = await engine.query<{ version: string }>('select version()')
  await engine.close()
  const version = /^PostgreSQL \S+ \(PGlite [^)]+\)/.exec(rows[0]?.version ?? '')?.[0]
  return { status: { version: version ?? 'of unknown version' }, stop: async () => {} }
}
