import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { readCaFile } from '../../src/connector/read-ca-file.ts'
import { untilAborted } from '../../src/connector/until-aborted.ts'
import { type Problem, problemsError, TidegateError } from '../../src/errors.ts'
import type { Dialect } from './dialect.ts'
import type { DriverClient } from './driver.ts'
import { SearchFailure } from './failures.ts'
import { endpointsOf, type SearchOptions } from './options.ts'

export interface SearchRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  /** `body` is lines of JSON. */
  readonly isBulk?: true | undefined
  readonly signal?: AbortSignal | undefined
}

export interface SearchAnswer {
  readonly status: number
  /** As it came: the clients' own parsing rounds numbers above 2^53 and refuses a field named `__proto__`. */
  readonly text: string
}

/** Sends requests, once each: retries belong to the flush domain, which knows what may be sent twice. */
export class SearchClient {
  readonly #driver: DriverClient
  readonly #close: () => Promise<void>
  readonly #timeoutMs: number

  constructor(driver: DriverClient, timeoutMs: number, close: () => Promise<void>) {
    this.#driver = driver
    this.#timeoutMs = timeoutMs
    this.#close = close
  }

  /** The answer, whatever its status. Throws what the client meets, and a `SearchFailure` if it takes too long. */
  async request(request: SearchRequest): Promise<SearchAnswer> {
    const timer = new AbortController()
    const answer = this.#send(request)
    answer.catch(() => undefined)
    try {
      const inTime = Promise.race([answer, this.#late(timer.signal)])
      return await (request.signal === undefined ? inTime : untilAborted(inTime, request.signal))
    } finally {
      timer.abort()
    }
  }

  async close(): Promise<void> {
    await this.#close()
  }

  async #send({ method, path, query, body, isBulk }: SearchRequest): Promise<SearchAnswer> {
    const { statusCode, body: stream } = (await this.#driver.transport.request(
      { method, path, querystring: query, ...(isBulk === true ? { bulkBody: body } : { body }) },
      {
        maxRetries: 0,
        requestTimeout: this.#timeoutMs === 0 ? longestTimeoutMs : this.#timeoutMs,
        asStream: true,
        meta: true,
        headers: isBulk === true ? bulkHeaders : body === undefined ? plainHeaders : jsonHeaders,
      },
    )) as { readonly statusCode: number; readonly body: Readable }
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer))
    return { status: statusCode, text: Buffer.concat(chunks).toString('utf8') }
  }

  /** The clients' time limit ends with the first byte of the answer. */
  async #late(signal: AbortSignal): Promise<never> {
    await delay(this.#timeoutMs === 0 ? longestTimeoutMs : this.#timeoutMs + 500, undefined, { signal }).catch(() => {})
    throw new SearchFailure('the server has not answered in time', 'unknown-outcome')
  }
}

/** What a timer can hold. */
const longestTimeoutMs = 2_147_483_647

/**
 * Plain media types, which every server takes: the ones that name a version, which the clients would send, are refused by
 * a server of an older major version.
 */
const plainHeaders = { accept: 'application/json' }
const jsonHeaders = { accept: 'application/json', 'content-type': 'application/json' }
const bulkHeaders = { accept: 'application/json', 'content-type': 'application/x-ndjson' }

/** The client that was handed in, or one of our own by the options. Throws `OPTION_INVALID` and `DRIVER_MISSING`. */
export async function openClient(dialect: Dialect, given: unknown, options: SearchOptions): Promise<SearchClient> {
  const timeoutMs = options['request-timeout']
  if (given !== undefined && given !== null) {
    if (!isDriverClient(given)) throw unknownClient(dialect)
    return new SearchClient(given, timeoutMs, async () => {})
  }
  const problems: Problem[] = []
  const nodes = endpointsOf(dialect, options, problems)
  const ca = readCaFile(options['tls.ca-file'], problems)
  if (problems.length > 0) {
    throw problemsError(`${dialect.product} cannot be reached by these options:`, problems, {
      code: 'OPTION_INVALID',
      connector: dialect.name,
    })
  }
  const driver = await dialect.loadDriver()
  const client = new driver.Client({
    nodes,
    auth: authOf(options),
    maxRetries: 0,
    [driver.tlsOption]: { rejectUnauthorized: options.tls !== 'insecure', ...(ca === undefined ? {} : { ca }) },
  })
  return new SearchClient(client, timeoutMs, async () => {
    await client.close()
  })
}

function authOf(options: SearchOptions): Readonly<Record<string, string>> | undefined {
  const { username, password } = options
  if (options['api-key'] !== undefined) return { apiKey: options['api-key'] }
  return username === undefined ? undefined : { username, password: password ?? '' }
}

function isDriverClient(given: unknown): given is DriverClient {
  if (typeof given !== 'object' || given === null || !('transport' in given)) return false
  const { transport } = given
  return typeof transport === 'object' && transport !== null && 'request' in transport
}

function unknownClient({ name, product }: Dialect): TidegateError {
  return new TidegateError(`what was handed in as client is no client of ${product}`, {
    code: 'OPTION_INVALID',
    connector: name,
    hint: `hand in a Client of the official package, or none and set 'hosts'`,
  })
}
