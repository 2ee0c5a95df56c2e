import * as v from 'valibot'
import { must } from '../../src/assert.ts'
import { decodeUrlPart } from '../../src/connector/decode-url-part.ts'
import type { Problem } from '../../src/errors.ts'
import { duration, flag, oneOf, text } from '../../src/options/option.ts'
import type { OptionTable, Resolved } from '../../src/options/option-table.ts'
import { parseQualifiedName, type QualifiedName } from './identifier.ts'

const section = 'PostgreSQL'

const tableName = v.pipe(
  v.string(),
  v.check((name) => parseQualifiedName(name) !== undefined, 'is no name of a table: name, schema.name or "a.b"."c"'),
)

/** Options of `'connector' = 'postgres'` beside the shared ones. */
export const options = {
  url: text({
    section,
    defaultNote: 'needed unless a client is handed in',
    description:
      'Where the database is: `postgres://user@host:5432/db`, `jdbc:postgresql://host:5432/db?currentSchema=s`, or in this process `pglite:./dir` and `pglite:memory`.',
    aliases: ['connection.url'],
  }),
  'table-name': {
    ...text({
      section,
      defaultNote: 'the declared name',
      description:
        'The table in the database: `name`, `schema.name`, or with dots and quotes inside `"a.b"."c"`. Case is kept as written.',
      aliases: ['collection.name.format', 'collection.table.format', 'table.name.format'],
    }),
    schema: tableName,
  },
  username: text({
    section,
    description: 'Role that writes; wins over the one in the url.',
    aliases: ['user', 'connection.user', 'connection.username'],
  }),
  password: text({
    section,
    secret: true,
    description: 'Password of the role; wins over the one in the url.',
    aliases: ['connection.password'],
  }),
  tls: oneOf(['off', 'verify-full', 'insecure'], {
    section,
    defaultNote: '`verify-full`; `off` for a server on this machine',
    description:
      '`verify-full` encrypts and checks the certificate and the name of the server; `insecure` encrypts and checks nothing.',
  }),
  'tls.ca-file': text({
    section,
    description: 'PEM file of the authority that signed the server’s certificate, if it is none that Node knows.',
  }),
  'connect-timeout': duration({
    section,
    default: '10s',
    description: 'How long to wait for a connection.',
  }),
  'statement-timeout': duration({
    section,
    default: '1min',
    description:
      'How long a statement may take before it is cancelled and the flush is tried again. `0` waits for ever.',
  }),
  'application-name': text({
    section,
    default: 'tidegate',
    description: 'How the connections are named in `pg_stat_activity`.',
  }),
  'prepared-statements': flag({
    section,
    default: true,
    description: '`false` behind a pooler that gives each transaction another session (PgBouncer before 1.21).',
  }),
  'ledger-table': {
    ...text({
      section,
      default: 'tidegate_ledger',
      description: 'Table that keeps the positions of exactly-once sinks; made if it is missing.',
    }),
    schema: tableName,
  },
} satisfies OptionTable

export type PostgresOptions = Resolved<typeof options>

export function ledgerName(options: PostgresOptions): QualifiedName {
  return must(parseQualifiedName(options['ledger-table']), 'the option is checked to be a name')
}

/** Where and as whom to connect. */
export type Endpoint =
  | { readonly kind: 'pglite' /** A folder, or `inMemory`. */; readonly dataDir: string }
  | {
      readonly kind: 'server'
      /** A host name, or the folder of a Unix socket. */
      readonly host: string
      readonly port: number
      readonly database: string
      readonly user: string | undefined
      readonly password: string | undefined
      /** For names without a schema. */
      readonly searchPath: string | undefined
      readonly tls: 'off' | 'verify-full' | 'insecure'
    }

/** Reads `url`; what is wrong with it goes to `problems`, without the url (rule C2). */
export function parseEndpoint(given: PostgresOptions, problems: Problem[]): Endpoint | undefined {
  const url = given.url
  const fail = (message: string, fix?: string): undefined => {
    problems.push({ subject: 'url', message, fix })
    return undefined
  }
  if (url === undefined) {
    return fail('is missing', "set 'url', or hand in a pg.Client, pg.Pool or PGlite as `client`")
  }
  if (url.startsWith('pglite:'))
    return pgliteEndpoint(url.slice('pglite:'.length)) ?? fail('names no folder', 'pglite:./dir')
  const bare = url.startsWith('jdbc:') ? url.slice('jdbc:'.length) : url
  if (!/^postgres(ql)?:/.test(bare)) {
    return fail('is of no kind that is known here', 'postgres://…, jdbc:postgresql://…, pglite:./dir or pglite:memory')
  }
  let parsed: URL
  try {
    parsed = new URL(bare)
  } catch {
    return fail('cannot be read as a URL', 'write special characters of a password as %XX, or use the option password')
  }
  return serverEndpoint(parsed, given, problems)
}

/** What PGlite calls a database that no folder keeps. */
export const inMemory = 'memory://'

function pgliteEndpoint(place: string): Endpoint | undefined {
  const folder = place.replace(/^\/\//, '')
  if (folder === '') return undefined
  return { kind: 'pglite', dataDir: folder === 'memory' ? inMemory : folder }
}

/** Parameters that are understood; anything else is refused, so that none is lost in silence. */
const urlParameters = new Set([
  'sslmode',
  'currentSchema',
  'host',
  'user',
  'password',
  'ApplicationName',
  'application_name',
])

function serverEndpoint(url: URL, given: PostgresOptions, problems: Problem[]): Endpoint {
  for (const name of url.searchParams.keys()) {
    if (!urlParameters.has(name)) {
      problems.push({ subject: 'url', message: `the parameter ${name} is not known here`, fix: 'leave it out' })
    }
  }
  const parameter = (name: string): string | undefined => url.searchParams.get(name) ?? undefined
  const host = parameter('host') ?? (decodeUrlPart(url.hostname).replace(/^\[|\]$/g, '') || 'localhost')
  const user = given.username ?? parameter('user') ?? (decodeUrlPart(url.username) || undefined)
  return {
    kind: 'server',
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    database: decodeUrlPart(url.pathname.replace(/^\//, '')) || user || 'postgres',
    user,
    password: given.password ?? parameter('password') ?? (decodeUrlPart(url.password) || undefined),
    searchPath: parameter('currentSchema'),
    tls: given.tls ?? tlsOf(parameter('sslmode'), host, problems),
  }
}

/** libpq's `require` and `prefer` check nothing; here whoever encrypts is sure of the server, unless told otherwise. */
function tlsOf(mode: string | undefined, host: string, problems: Problem[]): 'off' | 'verify-full' {
  switch (mode) {
    case undefined:
      return isLocal(host) ? 'off' : 'verify-full'
    case 'disable':
      return 'off'
    case 'verify-full':
    case 'require':
      return 'verify-full'
    default:
      problems.push({
        subject: 'url',
        message: `sslmode ${mode} is not known here`,
        fix: "set 'tls' to 'off', 'verify-full' or 'insecure'",
      })
      return 'verify-full'
  }
}

function isLocal(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || host.startsWith('127.')
}
