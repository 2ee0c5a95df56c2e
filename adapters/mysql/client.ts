import { importDriver } from '../../src/connector/import-driver.ts'

export interface MysqlQuery {
  readonly sql: string
  readonly rowsAsArray?: boolean
  /** Milliseconds until the driver gives up. */
  readonly timeout?: number
}

/** The part of mysql2/promise that is used, as shapes, so that its types are not needed to compile against tidegate. */
export interface MysqlConnection {
  query(options: MysqlQuery): Promise<readonly [unknown, unknown]>
  execute(options: MysqlQuery, values: readonly unknown[]): Promise<readonly [unknown, unknown]>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  readonly config?: { readonly clientFlags?: unknown } | undefined
  /** The connection of the callback API inside. */
  readonly connection?: { readonly config?: { readonly clientFlags?: unknown } | undefined } | undefined
}

export interface MysqlOwnedConnection extends MysqlConnection {
  end(): Promise<unknown>
  destroy(): void
}

export interface MysqlPoolConnection extends MysqlConnection {
  release(): void
  destroy(): void
}

export interface MysqlPool {
  getConnection(): Promise<MysqlPoolConnection>
}

export type GivenClient =
  | { readonly kind: 'connection'; readonly connection: MysqlConnection }
  | { readonly kind: 'pool'; readonly pool: MysqlPool }

/** Tells what a user has handed in: a connection or a pool of mysql2/promise; undefined if it is neither. */
export function recogniseClient(given: unknown): GivenClient | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const has = (name: string): boolean => typeof (given as Record<string, unknown>)[name] === 'function'
  if (has('getConnection')) return { kind: 'pool', pool: given as unknown as MysqlPool }
  if (has('execute') && has('query') && has('on')) {
    return { kind: 'connection', connection: given as unknown as MysqlConnection }
  }
  return undefined
}

export interface MysqlDriver {
  createConnection(config: Readonly<Record<string, unknown>>): Promise<MysqlOwnedConnection>
}

/** Throws `DRIVER_MISSING`. */
export async function importMysql2(): Promise<MysqlDriver> {
  const driver = { connector: 'mysql', name: 'mysql2', range: '^3.24.6' }
  const module = await importDriver(driver, () => import('mysql2/promise'))
  return (module.default ?? module) as unknown as MysqlDriver
}
