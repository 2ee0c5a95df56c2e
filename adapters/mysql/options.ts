import * as v from 'valibot'
import { must } from '../../src/assert.ts'
import { decodeUrlPart } from '../../src/connector/decode-url-part.ts'
import type { Problem } from '../../src/errors.ts'
import { duration, oneOf, text } from '../../src/options/option.ts'
import type { OptionTable, Resolved } from '../../src/options/option-table.ts'
import { parseQualifiedName, type QualifiedName } from './identifier.ts'

const section = 'MySQL and MariaDB'

const tableName = v.pipe(
  v.string(),
  v.check((name) => parseQualifiedName(name) !== undefined, 'is no name of a table: name, database.name or `a.b`.`c`'),
)

/** Options of `'connector' = 'mysql'` beside the shared ones. */
export const options = {
  url: text({
    section,
    defaultNote: 'needed unless a client is handed in',
    description:
      'Where the database is: `mysql://user@host:3306/db`, `mariadb://…`, or `jdbc:mysql://host:3306/db` and `jdbc:mariadb://…`.',
    aliases: ['connection.url'],
  }),
  'table-name': {
    ...text({
      section,
      defaultNote: 'the declared name',
      description:
        'The table in the database: `name`, `database.name`, or with dots inside of names in backticks. Case is kept as written.',
      aliases: ['collection.name.format', 'collection.table.format', 'table.name.format'],
    }),
    schema: tableName,
  },
  username: text({
    section,
    description: 'User that writes; wins over the one in the url.',
    aliases: ['user', 'connection.user', 'connection.username'],
  }),
  password: text({
    section,
    secret: true,
    description: 'Password of the user; wins over the one in the url.',
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
  'connect-timeout': duration({ section, default: '10s', description: 'How long to wait for a connection.' }),
  'statement-timeout': duration({
    section,
    default: '1min',
    description:
      'How long a statement may take before its connection is given up and the flush is tried again. `0` waits for ever.',
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

export type MysqlOptions = Resolved<typeof options>

export function ledgerName(options: MysqlOptions): QualifiedName {
  return must(parseQualifiedName(options['ledger-table']), 'the option is checked to be a name')
}

/** Where and as whom to connect. */
export interface Endpoint {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string | undefined
  readonly password: string | undefined
  readonly tls: 'off' | 'verify-full' | 'insecure'
}

/** Reads `url`; what is wrong with it goes to `problems`, without the url (rule C2). */
export function parseEndpoint(given: MysqlOptions, problems: Problem[]): Endpoint | undefined {
  const fail = (message: string, fix: string): undefined => {
    problems.push({ subject: 'url', message, fix })
    return undefined
  }
  const { url } = given
  if (url === undefined) return fail('is missing', "set 'url', or hand in a connection or pool of mysql2 as `client`")
  const bare = url.startsWith('jdbc:') ? url.slice('jdbc:'.length) : url
  if (!/^(mysql|mariadb):/.test(bare))
    return fail('is of no kind that is known here', 'mysql://host:3306/db, or jdbc:mysql://…')
  let parsed: URL
  try {
    parsed = new URL(bare)
  } catch {
    return fail('cannot be read as a URL', 'write special characters of a password as %XX, or use the option password')
  }
  return endpointOf(parsed, given, problems)
}

/** Parameters that are understood, and those of the JDBC drivers that are done here anyway; anything else is refused. */
const understood = new Set(['user', 'password', 'useSSL', 'sslMode'])
const done = new Set([
  'rewriteBatchedStatements',
  'useUnicode',
  'characterEncoding',
  'serverTimezone',
  'connectionTimeZone',
  'zeroDateTimeBehavior',
  'allowPublicKeyRetrieval',
  'autoReconnect',
  'tinyInt1isBit',
])

function endpointOf(url: URL, given: MysqlOptions, problems: Problem[]): Endpoint {
  for (const name of url.searchParams.keys()) {
    if (understood.has(name) || done.has(name)) continue
    problems.push({ subject: 'url', message: `the parameter ${name} is not known here`, fix: 'leave it out' })
  }
  const database = decodeUrlPart(url.pathname.replace(/^\//, ''))
  if (database === '') problems.push({ subject: 'url', message: 'names no database', fix: 'mysql://host:3306/db' })
  const host = decodeUrlPart(url.hostname).replace(/^\[|\]$/g, '') || 'localhost'
  return {
    host,
    port: url.port === '' ? 3306 : Number(url.port),
    database,
    user: given.username ?? url.searchParams.get('user') ?? (decodeUrlPart(url.username) || undefined),
    password: given.password ?? url.searchParams.get('password') ?? (decodeUrlPart(url.password) || undefined),
    tls: given.tls ?? tlsOf(url.searchParams, host),
  }
}

/** The drivers' `preferred` checks nothing; here whoever encrypts is sure of the server, unless told otherwise. */
function tlsOf(parameters: URLSearchParams, host: string): 'off' | 'verify-full' {
  if (parameters.get('useSSL') === 'false' || parameters.get('sslMode')?.toUpperCase() === 'DISABLED') return 'off'
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.')
  return isLocal && !parameters.has('useSSL') && !parameters.has('sslMode') ? 'off' : 'verify-full'
}
