import { importDriver } from '../../src/connector/import-driver.ts'

/**
 * The part of the drivers that is used, as shapes: neither driver's types are needed to compile against tidegate, and any
 * client of the same shape can be handed in.
 */
export interface PgQuery {
  readonly text: string
  readonly values?: unknown[] | undefined
  readonly name?: string | undefined
  readonly rowMode?: 'array' | undefined
}

export interface PgResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly unknown[]
}

export interface PgClient {
  query(query: PgQuery): Promise<PgResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
}

export interface PgOwnedClient extends PgClient {
  connect(): Promise<unknown>
  end(): Promise<void>
  /** The socket, to be dropped where `end` would wait for an answer that does not come. */
  readonly connection?: { readonly stream?: { destroy(): void } | undefined } | undefined
}

export interface PgPoolClient extends PgClient {
  release(error?: Error | boolean): void
}

export interface PgPool {
  connect(): Promise<PgPoolClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
}

export interface PgliteResult {
  readonly rows: readonly unknown[]
  readonly affectedRows?: number | undefined
  readonly command?: string | undefined
}

export interface PgliteTransaction {
  query(text: string, values: unknown[], options: { rowMode: 'array' }): Promise<PgliteResult>
  rollback(): Promise<void>
}

export interface Pglite {
  query(text: string, values: unknown[], options: { rowMode: 'array' }): Promise<PgliteResult>
  transaction<T>(work: (transaction: PgliteTransaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type GivenClient =
  | { readonly kind: 'client'; readonly client: PgClient }
  | { readonly kind: 'pool'; readonly pool: PgPool }
  | { readonly kind: 'pglite'; readonly pglite: Pglite }

/** Tells what a user has handed in; undefined if it is none of the three. */
export function recogniseClient(given: unknown): GivenClient | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const has = (name: string): boolean => typeof (given as Record<string, unknown>)[name] === 'function'
  if (!has('query')) return undefined
  if (has('transaction') && has('exec')) return { kind: 'pglite', pglite: given as unknown as Pglite }
  if (!has('on') || !has('connect')) return undefined
  return 'totalCount' in given && 'idleCount' in given
    ? { kind: 'pool', pool: given as unknown as PgPool }
    : { kind: 'client', client: given as unknown as PgClient }
}

export interface PgDriver {
  readonly Client: new (config: Readonly<Record<string, unknown>>) => PgOwnedClient
}

/** Throws `DRIVER_MISSING`. */
export async function importPg(): Promise<PgDriver> {
  const module = await importDriver({ connector: 'postgres', name: 'pg', range: '^8.23.1' }, () => import('pg'))
  return module.default as unknown as PgDriver
}

export interface PgliteDriver {
  readonly PGlite: { create(dataDir: string): Promise<Pglite> }
}

/** Throws `DRIVER_MISSING`. */
export async function importPglite(): Promise<PgliteDriver> {
  const driver = { connector: 'postgres', name: '@electric-sql/pglite', range: '^0.5.17' }
  const module = await importDriver(driver, () => import('@electric-sql/pglite'))
  return module as unknown as PgliteDriver
}
