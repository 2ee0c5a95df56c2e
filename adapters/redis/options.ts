import { decodeUrlPart } from '../../src/connector/decode-url-part.ts'
import type { Problem } from '../../src/errors.ts'
import { duration, flag, integer, oneOf, text } from '../../src/options/option.ts'
import type { OptionTable, Resolved } from '../../src/options/option-table.ts'

const section = 'Redis and Valkey'

/** Options of `'connector' = 'redis'` beside the shared ones. */
export const options = {
  url: text({
    section,
    defaultNote: 'needed unless a client is handed in',
    description:
      'Where the server is: `redis://user@host:6379/0`, `valkey://…`, or with TLS `rediss://…` and `valkeys://…`. Of a cluster, some of its nodes with commas between.',
    aliases: ['redis.url'],
  }),
  mode: oneOf(['single', 'cluster'], {
    section,
    default: 'single',
    description:
      'One server, or a cluster: there a flush is a call for each slot that it writes to, and not visible at once.',
    aliases: ['redis-mode'],
  }),
  key: text({
    section,
    defaultNote: 'the name of the table and the key columns, with colons between: `orders:<order_id>`',
    description:
      'Names of the keys: text, and `<column>` for the value of a key column. Braces are the hash tag of a cluster: `orders:{<customer>}:<order_id>`.',
    aliases: ['key-template'],
  }),
  'value.format': oneOf(['hash', 'json', 'string', 'sorted-set'], {
    section,
    default: 'hash',
    description:
      'What a key holds: `hash` one row, a field each column; `json` one row as JSON text; `string` the one column beside the key, as a counter does; `sorted-set` many rows, members by the score in the one column beside the key.',
  }),
  'row.ttl': duration({
    section,
    default: 0,
    defaultNote: 'rows stay',
    description: 'How long after its last change a row lives; with it goes its sequence.',
  }),
  username: text({
    section,
    description: 'ACL user that writes; wins over the one in the url.',
    aliases: ['user', 'connection.username'],
  }),
  password: text({
    section,
    secret: true,
    description: 'Password of the user; wins over the one in the url.',
    aliases: ['connection.password'],
  }),
  'tls.ca-file': text({
    section,
    description: 'PEM file of the authority that signed the server’s certificate, if it is none that Node knows.',
  }),
  'tls.verify': flag({
    section,
    default: true,
    description: 'Whether the certificate and the name of the server are checked.',
  }),
  'connect-timeout': duration({ section, default: '10s', description: 'How long to wait for a connection.' }),
  'command-timeout': duration({
    section,
    default: '30s',
    description:
      'How long a call may take before its connection is given up and the flush is tried again. `0` waits for ever.',
  }),
  'ledger-key': text({
    section,
    default: 'tidegate_ledger',
    description: 'Hash that keeps the positions of an exactly-once sink; `:` and its `sink.id` are added.',
  }),
  'wait.replicas': integer({
    section,
    default: 0,
    description:
      'How many replicas must have a flush before it counts as durable (`WAIT`); fewer within `wait.timeout`, and the flush is tried again.',
  }),
  'wait.timeout': duration({ section, default: '1s', description: 'How long to wait for the replicas.' }),
} satisfies OptionTable

export type RedisOptions = Resolved<typeof options>

export function isCluster({ mode }: Pick<RedisOptions, 'mode'>): boolean {
  return mode === 'cluster'
}

/** Where and as whom to connect. */
export interface Endpoint {
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  readonly database: number
  readonly username: string | undefined
  readonly password: string | undefined
  readonly tls: boolean
}

/** Reads `url`; what is wrong with it goes to `problems`, without the url (rule C2). */
export function parseEndpoint(given: RedisOptions, problems: Problem[]): Endpoint | undefined {
  const fail = (message: string, fix: string): undefined => {
    problems.push({ subject: 'url', message, fix })
    return undefined
  }
  if (given.url === undefined) {
    return fail('is missing', "set 'url', or hand in a client or cluster of node-redis or ioredis as `client`")
  }
  const urls: URL[] = []
  for (const part of given.url.split(',')) {
    const withScheme = part.includes('://') ? part.trim() : `redis://${part.trim()}`
    if (!URL.canParse(withScheme)) {
      return fail('cannot be read', 'write special characters of a password as %XX, or use the option password')
    }
    urls.push(new URL(withScheme))
  }
  const [first] = urls
  if (first === undefined || !schemes.has(first.protocol)) {
    return fail('is of no kind that is known here', 'redis://host:6379, rediss://…, valkey://… or valkeys://…')
  }
  if (urls.length > 1 && !isCluster(given)) {
    return fail('names several nodes', "set 'mode' = 'cluster', or name one")
  }
  return endpointOf(first, urls, given, problems)
}

const schemes = new Map([
  ['redis:', false],
  ['valkey:', false],
  ['rediss:', true],
  ['valkeys:', true],
])

function endpointOf(first: URL, urls: readonly URL[], given: RedisOptions, problems: Problem[]): Endpoint | undefined {
  const digits = first.pathname.replace(/^\//, '')
  if (!/^\d{0,5}$/.test(digits) || (isCluster(given) && Number(digits) > 0)) {
    const message = isCluster(given)
      ? 'names a database, and a cluster has only number 0'
      : 'names no database by number'
    problems.push({ subject: 'url', message, fix: isCluster(given) ? 'leave it out' : 'redis://host:6379/0' })
    return undefined
  }
  return {
    nodes: urls.map(({ hostname, port }) => ({
      host: decodeUrlPart(hostname).replace(/^\[|\]$/g, '') || 'localhost',
      port: port === '' ? 6379 : Number(port),
    })),
    database: Number(digits),
    username: given.username ?? (decodeUrlPart(first.username) || undefined),
    password: given.password ?? (decodeUrlPart(first.password) || undefined),
    tls: schemes.get(first.protocol) === true,
  }
}
