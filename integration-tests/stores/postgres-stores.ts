import { startPostgresContainer } from '../services/postgres-container.ts'
import { appRole, serverVersion } from '../services/postgres-database.ts'
import { startPostgres } from '../services/postgres-server.ts'
import type { StoreStart } from './store-start.ts'

export function postgresStores(): readonly StoreStart[] {
  const url = process.env['TIDEGATE_TEST_POSTGRES_URL']
  return [
    { name: 'pglite', set: 'quick', start: findPglite },
    { name: 'postgres-machine', set: 'quick', start: () => ownServer('machine', "of the machine's packages") },
    { name: 'postgres-npm', set: 'all', start: () => ownServer('npm', 'of npm') },
    { name: 'postgres-container', set: 'all', start: containerServer },
    ...(url === undefined
      ? []
      : [{ name: 'postgres-url' as const, set: 'quick' as const, start: () => namedServer(url) }]),
  ]
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
