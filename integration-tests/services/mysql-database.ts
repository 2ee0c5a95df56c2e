import { randomBytes } from 'node:crypto'
import { type Connection, createConnection } from 'mysql2/promise'

/** A server that databases are made on, by a user that may. */
export interface MysqlAccess {
  readonly adminUrl: string
}

/** A database of one test file's own. */
export interface MysqlDatabase extends AsyncDisposable {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

export async function createMysqlDatabase({ adminUrl }: MysqlAccess): Promise<MysqlDatabase> {
  const name = `tidegate_${randomBytes(6).toString('hex')}`
  // not the character set of the tables that tidegate makes: they must not lean on it
  await onMysql(adminUrl, (client) => client.query(`CREATE DATABASE ${name} CHARACTER SET latin1`))
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const drop = async (): Promise<void> => {
    await onMysql(adminUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name}`))
  }
  return { name, url: url.href, drop, [Symbol.asyncDispose]: drop }
}

/** E.g. `MariaDB 10.11.19` or `MySQL 8.0.15`. */
export async function mysqlVersion(url: string): Promise<string> {
  return await onMysql(url, async (client) => {
    const [rows] = await client.query('SELECT version() AS version')
    const { version } = (rows as { version: string }[])[0] ?? { version: 'unknown' }
    const digits = /^[\d.]+/.exec(version)?.[0] ?? version
    return `${version.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${digits}`
  })
}

export async function onMysql<T>(url: string, work: (client: Connection) => Promise<T>): Promise<T> {
  const client = await createConnection({
    uri: url,
    charset: 'utf8mb4_bin',
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
  })
  client.on('error', () => {})
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
