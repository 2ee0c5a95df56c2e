import * as v from 'valibot'
import { decodeUrlPart } from '../../src/connector/decode-url-part.ts'
import type { Problem } from '../../src/errors.ts'
import { duration, flag, oneOf, text } from '../../src/options/option.ts'
import type { OptionTable, Resolved } from '../../src/options/option-table.ts'
import { identifierFault, parseQualifiedName } from './identifier.ts'

const section = 'ClickHouse'

function ownColumn(name: string, holds: string) {
  return {
    ...text({ section, default: name, description: `Column that tidegate keeps: ${holds}.` }),
    schema: v.pipe(
      v.string(),
      v.check((given) => identifierFault(given) === undefined, 'is no name of a column'),
    ),
  }
}

/** Options of `'connector' = 'clickhouse'` beside the shared ones. */
export const options = {
  url: text({
    section,
    defaultNote: 'needed unless a client is handed in',
    description:
      'Where the HTTP interface is: `http://host:8123`, `https://…`, `clickhouse://host:8123/db`, or `jdbc:clickhouse://host:8123/db`.',
    aliases: ['connection.url'],
  }),
  'database-name': text({
    section,
    defaultNote: 'that of the url, or `default`',
    description: 'Database of tables that are named without one.',
    aliases: ['database'],
  }),
  'table-name': {
    ...text({
      section,
      defaultNote: 'the declared name',
      description: 'The table: `name` or `database.name`. Case is kept as written.',
      aliases: ['collection.name.format', 'table.name.format'],
    }),
    schema: v.pipe(
      v.string(),
      v.check((name) => parseQualifiedName(name) !== undefined, 'is no name of a table: name or database.name'),
    ),
  },
  engine: oneOf(['replacing', 'collapsing', 'versioned-collapsing', 'aggregating'], {
    section,
    default: 'replacing',
    description:
      'How a table with a key is kept: `replacing` keeps the newest version of each row; `collapsing` cancels each image that is taken back, for streams with every update-before; `versioned-collapsing` does so in any order, by `sequence.field`; `aggregating` merges columns, for `partial-update` and `aggregation`.',
  }),
  'sink.append-changelog': flag({
    section,
    default: false,
    description: 'Append every change as a row of its own, with its kind and the number of its arrival.',
  }),
  'version-column': ownColumn('__tidegate_version', 'what rows of one key are told apart by'),
  'sign-column': ownColumn('__tidegate_sign', 'the sign of an image, 1 or -1, for the collapsing engines'),
  'kind-column': ownColumn('__tidegate_kind', 'the kind of a change, for `sink.append-changelog`'),
  username: text({
    section,
    default: 'default',
    description: 'User that writes; wins over the one in the url.',
    aliases: ['user'],
  }),
  password: text({ section, secret: true, description: 'Password of the user; wins over the one in the url.' }),
  'tls.ca-file': text({
    section,
    description: 'PEM file of the authority that signed the server’s certificate, if it is none that Node knows.',
  }),
  'request-timeout': duration({
    section,
    default: '1min',
    description: 'How long a request may take before it is given up and the flush is tried again.',
  }),
} satisfies OptionTable

export type ClickhouseOptions = Resolved<typeof options>

export interface Endpoint {
  /** Scheme, host and port. */
  readonly url: string
  readonly database: string
  readonly user: string
  readonly password: string
}

/** Reads `url`; what is wrong with it goes to `problems`, without the url (rule C2). */
export function parseEndpoint(given: ClickhouseOptions, problems: Problem[]): Endpoint | undefined {
  const fail = (message: string, fix: string): undefined => {
    problems.push({ subject: 'url', message, fix })
    return undefined
  }
  if (given.url === undefined) {
    return fail('is missing', "set 'url', or hand in a client of @clickhouse/client as `client`")
  }
  const bare = given.url.replace(/^jdbc:(?:clickhouse|ch):/, 'clickhouse:')
  if (!/^(clickhouse|ch|https?):/.test(bare)) {
    return fail(
      'is of no kind that is known here',
      'http://host:8123, clickhouse://host:8123/db or jdbc:clickhouse://…',
    )
  }
  let parsed: URL
  try {
    parsed = new URL(bare)
  } catch {
    return fail('cannot be read as a URL', 'write special characters of a password as %XX, or use the option password')
  }
  const isEncrypted = parsed.protocol === 'https:' || parsed.searchParams.get('ssl') === 'true'
  const port = parsed.port === '' ? (isEncrypted ? '8443' : '8123') : parsed.port
  if (port === '9000' || port === '9440') {
    problems.push({
      subject: 'url',
      message: `names port ${port}, that of the native protocol`,
      fix: 'name the HTTP port, 8123 or 8443',
    })
  }
  const named = { user: decodeUrlPart(parsed.username), password: decodeUrlPart(parsed.password) }
  return {
    url: `${isEncrypted ? 'https' : 'http'}://${parsed.hostname}:${port}`,
    database: given['database-name'] ?? (decodeUrlPart(parsed.pathname.replace(/^\//, '')) || 'default'),
    user: named.user === '' || given.username !== 'default' ? given.username : named.user,
    password: given.password ?? named.password,
  }
}
