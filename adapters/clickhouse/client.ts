import { Readable } from 'node:stream'
import { importDriver } from '../../src/connector/import-driver.ts'
import { readCaFile } from '../../src/connector/read-ca-file.ts'
import { type Problem, problemsError, TidegateError } from '../../src/errors.ts'
import { toFailure } from './failures.ts'
import { type ClickhouseOptions, parseEndpoint } from './options.ts'

/** The part of @clickhouse/client that is used, as shapes: its types are not needed to compile against tidegate. */
interface Client {
  exec(options: {
    readonly query: string
    readonly values?: Readable
    readonly clickhouse_settings?: Readonly<Record<string, string | number>>
    readonly abort_signal?: AbortSignal
  }): Promise<{ readonly stream: Readable }>
  query(options: {
    readonly query: string
    readonly format: 'JSONCompactEachRow'
    readonly query_params?: Readonly<Record<string, unknown>>
    readonly clickhouse_settings?: Readonly<Record<string, string | number>>
  }): Promise<{ json(): Promise<unknown> }>
  close(): Promise<void>
}

export interface Connection {
  /** A statement without an answer. Throws `ClickhouseFailure`. */
  run(statement: string): Promise<void>
  /** `statement` ends with the format of the body. Resolves when the server has it all. */
  insert(statement: string, body: Buffer, token: string): Promise<void>
  /** Rows of texts or null. `keys`: the parameter of that name, an Array(Array(String)). */
  rows(statement: string, keys?: readonly (readonly string[])[]): Promise<readonly (readonly (string | null)[])[]>
  /** Does nothing to a client that was handed in. */
  close(): Promise<void>
}

/** Throws `OPTION_INVALID`, `DRIVER_MISSING`. */
export async function openConnection(given: unknown, options: ClickhouseOptions): Promise<Connection> {
  if (given !== undefined && given !== null) {
    const has = (name: string): boolean => typeof (given as Record<string, unknown>)[name] === 'function'
    if (has('exec') && has('query')) return connectionOf(given as Client, async () => {})
    throw new TidegateError('the client that was handed in is no client of @clickhouse/client', {
      code: 'OPTION_INVALID',
      connector: 'clickhouse',
    })
  }
  const problems: Problem[] = []
  const endpoint = parseEndpoint(options, problems)
  const ca = readCaFile(options['tls.ca-file'], problems)
  if (endpoint === undefined || problems.length > 0) {
    throw problemsError('the connection to ClickHouse cannot be made:', problems, {
      code: 'OPTION_INVALID',
      connector: 'clickhouse',
    })
  }
  const driver = { connector: 'clickhouse', name: '@clickhouse/client', range: '^1.23.1' }
  const { createClient } = (await importDriver(driver, () => import('@clickhouse/client'))) as unknown as {
    createClient(settings: object): Client
  }
  const client = createClient({
    url: endpoint.url,
    database: endpoint.database,
    username: endpoint.user,
    password: endpoint.password,
    application: 'tidegate',
    request_timeout: options['request-timeout'] === 0 ? 2_147_483_647 : options['request-timeout'],
    ...(ca === undefined ? {} : { tls: { ca_cert: Buffer.from(ca) } }),
    // failures are told by tidegate
    log: { level: 127 },
  })
  return connectionOf(client, () => client.close())
}

/** An error after the first bytes of an answer becomes its status; an insert is answered when it is stored. */
const settings = { wait_end_of_query: 1, async_insert: 0, date_time_input_format: 'basic' }

function connectionOf(client: Client, close: () => Promise<void>): Connection {
  const exec = async (query: string, more: { values?: Readable; token?: string | undefined } = {}): Promise<void> => {
    try {
      const { stream } = await client.exec({
        query,
        ...(more.values === undefined ? {} : { values: more.values }),
        clickhouse_settings: {
          ...settings,
          ...(more.token === undefined ? {} : { insert_deduplicate: 1, insert_deduplication_token: more.token }),
        },
      })
      // the connection is free for the next request only once the answer is read
      for await (const _chunk of stream);
    } catch (error) {
      throw toFailure(error)
    }
  }
  return {
    run: (statement) => exec(statement),
    insert: (statement, body, token) =>
      exec(statement, { values: Readable.from([body], { objectMode: false }), token }),
    rows: async (query, keys) => {
      try {
        const format = 'JSONCompactEachRow'
        const answer = await client.query({
          query,
          format,
          clickhouse_settings: { wait_end_of_query: 1 },
          ...(keys === undefined ? {} : { query_params: { keys } }),
        })
        return (await answer.json()) as (string | null)[][]
      } catch (error) {
        throw toFailure(error)
      }
    },
    close,
  }
}
