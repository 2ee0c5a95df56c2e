import { randomBytes } from 'node:crypto'
import pg from 'pg'

export interface PostgresRole {
  readonly name: string
  readonly password: string
}

/** Who tests connect as on servers of their own: it owns its databases and may replicate, but is no superuser. */
export const appRole: PostgresRole = { name: 'app', password: 'secret' }

/** A server that databases are made on, and who is to own them; undefined: whoever `adminUrl` names. */
export interface PostgresAccess {
  readonly adminUrl: string
  readonly role?: PostgresRole | undefined
}

/** A database of one test file's own. */
export interface PostgresDatabase extends AsyncDisposable {
  readonly name: string
  /** As the role that owns the database. */
  readonly url: string
  /** As superuser, in the same database. */
  readonly adminUrl: string
  /** Ends the connections that are left and removes it, replication slots included. */
  drop(): Promise<void>
}

export async function createDatabase({ adminUrl, role }: PostgresAccess): Promise<PostgresDatabase> {
  const name = `tidegate_${randomBytes(6).toString('hex')}`
  await onServer(adminUrl, async (client) => {
    const owner = role === undefined ? '' : `owner ${client.escapeIdentifier(role.name)}`
    await client.query(`create database ${name} ${owner} template template0`)
  })
  const drop = async (): Promise<void> => {
    await onServer(adminUrl, (client) => dropDatabase(client, name))
  }
  return {
    name,
    url: withDatabase(adminUrl, name, role),
    adminUrl: withDatabase(adminUrl, name),
    drop,
    [Symbol.asyncDispose]: drop,
  }
}

export async function createAppRole(adminUrl: string): Promise<void> {
  await onServer(adminUrl, async (client) => {
    await client.query(`create role ${appRole.name} login replication password '${appRole.password}'`)
  })
}

/** E.g. `15.18`. */
export async function serverVersion(url: string): Promise<string> {
  return await onServer(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown'
  })
}

async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  // a slot is free only once its walsender is gone
  for (let attempt = 0; attempt < 50; attempt++) {
    const { rows } = await client.query<{ active: boolean }>(
      'select active, case when not active then pg_drop_replication_slot(slot_name) end from pg_replication_slots where database = $1',
      [name],
    )
    if (!rows.some((slot) => slot.active)) break
    await client.query('select pg_sleep(0.1)')
  }
  await client.query(`drop database if exists ${name} with (force)`)
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 })
  // the server may be ended under an idle connection
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function withDatabase(adminUrl: string, database: string, role?: PostgresRole): string {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  if (role !== undefined) {
    url.username = role.name
    url.password = role.password
  }
  return url.href
}
