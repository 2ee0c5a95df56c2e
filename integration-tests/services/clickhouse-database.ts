import { randomInt } from 'node:crypto'
import { createClient } from '@clickhouse/client'

/** A database of its own for one test file. */
export interface ClickhouseDatabase extends AsyncDisposable {
  readonly url: string
  drop(): Promise<void>
}

/** `server.url` names no database. */
export async function createClickhouseDatabase(server: { readonly url: string }): Promise<ClickhouseDatabase> {
  const name = `tidegate_${process.pid}_${Date.now()}_${randomInt(1_000_000)}`
  await runStatement(server.url, `CREATE DATABASE ${name}`)
  const url = new URL(server.url)
  url.pathname = `/${name}`
  const drop = async (): Promise<void> => await runStatement(server.url, `DROP DATABASE IF EXISTS ${name} SYNC`)
  return { url: url.href, drop, [Symbol.asyncDispose]: drop }
}

async function runStatement(url: string, query: string): Promise<void> {
  const client = createClient({ url })
  try {
    await client.command({ query })
  } finally {
    await client.close()
  }
}
