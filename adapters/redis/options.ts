import type { Problem } from '../../src/errors.ts'
import { duration, integer, list, oneOf, text } from '../../src/options/option.ts'
import type { OptionTable, Resolved } from '../../src/options/option-table.ts'

const section = 'Redis and Valkey'

/** Options of `'connector' = 'redis'` beside the shared ones. */
export const options = {
  url: text({
    section,
    defaultNote: 'needed unless a client is handed in',
    description:
      'Where the server is: `redis://user@host:6379/0`, `rediss://…` with TLS, or `valkey://…`; of a cluster any node, several separated by commas.',
  }),
  mode: oneOf(['single', 'cluster'], {
    section,
    default: 'single',
    description: 'Whether the url names a server or nodes of a cluster.',
  }),
  username: text({ section, description: 'User of the ACL; wins over the one in the url.', aliases: ['user'] }),
  password: text({ section, secret: true, description: 'Password; wins over the one in the url.' }),
  'tls.ca-file': text({
    section,
    description: 'PEM file of the authority that signed the server’s certificate, if it is none that Node knows.',
  }),
  'connect-timeout': duration({ section, default: '10s', description: 'How long to wait for a connection.' }),
  'command-timeout': duration({
    section,
    default: '30s',
    description:
      'How long to wait for an answer before the connection is given up and the flush is tried again. `0` waits for ever.',
  }),
  'key.prefix': text({
    section,
    defaultNote: 'the declared name and a colon',
    description:
      'What the names of the rows begin with; the values of the primary key follow, joined by colons. Each table needs one of its own.',
  }),
  'key.hash-tag': list({
    section,
    description:
      'Columns of the primary key that stand in braces in the name of a row, so that rows which share them share a node of a cluster.',
  }),
  'value.format': oneOf(['hash', 'json'], {
    section,
    default: 'hash',
    description: '`hash`: a hash with a field a column, and no field for NULL; `json`: one JSON text a row.',
  }),
  'row.ttl': duration({
    section,
    defaultNote: 'rows stay',
    description: 'How long a row is kept after it was last written.',
  }),
  'wait.replicas': integer({
    section,
    default: 0,
    description:
      'How many replicas must have a flush before it counts as durable (WAIT); of a server, not of a cluster.',
  }),
  'wait.timeout': duration({
    section,
    default: '1s',
    description: 'How long to wait for the replicas before the flush is tried again.',
  }),
} satisfies OptionTable

export type RedisOptions = Resolved<typeof options>

export interface Endpoint {
  /** As the driver takes them, without user and password. */
  readonly urls: readonly string[]
  readonly username: string | undefined
  readonly password: string | undefined
  readonly isEncrypted: boolean
}

/** Reads `url`; what is wrong with it goes to `problems`, without the url (rule C2). */
export function parseEndpoint(given: RedisOptions, problems: Problem[]): Endpoint | undefined {
  if (given.url === undefined) {
    problems.push({
      subject: 'url',
      message: 'is missing',
      fix: "set 'url', or hand in a client of the package redis as `client`",
    })
    return undefined
  }
  const parsed = given.url.split(',').map((one) => parse(one.trim()))
  if (parsed.some((url) => url === undefined)) {
    problems.push({
      subject: 'url',
      message: 'is of no kind that is known here',
      fix: 'redis://host:6379, rediss://… or valkey://…',
    })
    return undefined
  }
  const urls = parsed as readonly URL[]
  if (urls.length > 1 && given.mode === 'single') {
    problems.push({ subject: 'url', message: 'names several servers', fix: "set 'mode' = 'cluster', or name one" })
  }
  const [first] = urls
  return {
    urls: urls.map(
      ({ protocol, host, pathname }) =>
        `${protocol === 'rediss:' || protocol === 'valkeys:' ? 'rediss' : 'redis'}://${host}${pathname}`,
    ),
    username: given.username ?? (decode(first?.username ?? '') || undefined),
    password: given.password ?? (decode(first?.password ?? '') || undefined),
    isEncrypted: urls.every(({ protocol }) => protocol === 'rediss:' || protocol === 'valkeys:'),
  }
}

function parse(text: string): URL | undefined {
  try {
    const url = new URL(text)
    return ['redis:', 'rediss:', 'valkey:', 'valkeys:'].includes(url.protocol) && url.hostname !== '' ? url : undefined
  } catch {
    return undefined
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
