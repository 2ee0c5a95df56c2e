import * as v from 'valibot'
import type { Problem } from '../../src/errors.ts'
import { duration, integer, memorySize, oneOf, text } from '../../src/options/option.ts'
import type { OptionTable, Resolved } from '../../src/options/option-table.ts'
import type { Dialect } from './dialect.ts'
import { indexPatternFault } from './index-name.ts'

const section = 'Elasticsearch and OpenSearch'

/** Options of `'connector' = 'elasticsearch'` and `'opensearch'` beside the shared ones. */
export const options = {
  hosts: text({
    section,
    defaultNote: 'needed unless a client is handed in',
    description: 'Where the nodes are, separated by `;`: `http://one:9200;http://two:9200`.',
    aliases: ['url', 'urls', 'connection.url', 'endpoint'],
  }),
  index: {
    ...text({
      section,
      defaultNote: 'the declared name',
      description:
        'The index. `{column}` stands for the value of a key column, `{column|yyyy-MM-dd}` for a part of a date: each row then goes to an index by its key.',
      aliases: ['table-name'],
    }),
    schema: v.pipe(
      v.string(),
      v.rawCheck(({ dataset, addIssue }) => {
        const fault = dataset.typed ? indexPatternFault(dataset.value) : undefined
        if (fault !== undefined) addIssue({ message: fault })
      }),
    ),
  },
  'index.max-count': integer({
    section,
    default: 100,
    min: 1,
    description: 'With `{column}` in `index`: how many indices a sink may write to; a row of one more is rejected.',
  }),
  'document-id.key-delimiter': text({
    section,
    defaultNote: 'ids that cannot collide',
    description:
      'Joins the columns of a key with this text, as Flink does (its default is `_`). Different keys can then have one id; without the option they cannot.',
    aliases: ['delimiter'],
  }),
  versioning: oneOf(['internal', 'external'], {
    section,
    default: 'internal',
    description:
      '`internal`: a stored script compares the sequence with the one in the document. `external`: the sequence is the version of the document (`external_gte`), for whole rows by one sequence column.',
  }),
  refresh: oneOf(['false', 'wait_for', 'true'], {
    section,
    default: 'false',
    description:
      'When what is written can be found: `false` after the refresh interval of the index, `wait_for` before the flush ends, which then waits for that interval, `true` at once, at a cost.',
  }),
  'bulk.max-bytes': memorySize({
    section,
    default: '5mb',
    description:
      'Size of one bulk request; a larger flush goes out as several. Must be below the server’s `http.max_content_length`.',
  }),
  'retry-on-conflict': integer({
    section,
    default: 5,
    max: 1000,
    aliases: ['retry_on_conflict', 'sink.retry-on-conflicts'],
    description: 'How often the server itself tries a script again when another writer was faster.',
  }),
  'mapping.dynamic': oneOf(['strict', 'false', 'true', 'runtime'], {
    section,
    default: 'strict',
    description: 'What an index that is made here does with fields that are not declared.',
  }),
  username: text({ section, description: 'User name.', aliases: ['connection.username'] }),
  password: text({ section, secret: true, description: 'Password of the user.', aliases: ['connection.password'] }),
  'api-key': text({ section, secret: true, description: 'API key in place of a user, as Elasticsearch encodes it.' }),
  'connection.path-prefix': text({ section, description: 'Path in front of every request, as behind a proxy.' }),
  'request-timeout': duration({
    section,
    default: '1min',
    aliases: ['socket.timeout'],
    description: 'How long a request may take. `0` waits for ever.',
  }),
  tls: oneOf(['verify-full', 'insecure'], {
    section,
    default: 'verify-full',
    description: 'For `https`: `insecure` checks neither the certificate nor the name of the server.',
  }),
  'tls.ca-file': text({
    section,
    description: 'PEM file of the authority that signed the server’s certificate, if it is none that Node knows.',
  }),
} satisfies OptionTable

export type SearchOptions = Resolved<typeof options>

/** The nodes with the path prefix. Throws `OPTION_INVALID`, without the hosts (rule C2). */
export function endpointsOf(dialect: Dialect, given: SearchOptions, problems: Problem[]): readonly string[] {
  const nodes = (given.hosts ?? '')
    .split(';')
    .map((host) => host.trim())
    .filter((host) => host !== '')
    .map((host) => endpoint(host, given['connection.path-prefix'], problems))
  if (nodes.length === 0) {
    problems.push({ subject: 'hosts', message: 'is missing', fix: "set 'hosts', or hand in a client" })
  }
  if (given['api-key'] !== undefined && (dialect.name === 'opensearch' || given.username !== undefined)) {
    const why = dialect.name === 'opensearch' ? 'is not taken by OpenSearch' : 'cannot go with a user name'
    problems.push({ subject: 'api-key', message: why, fix: 'keep one way to log in' })
  }
  return nodes
}

function endpoint(host: string, prefix: string | undefined, problems: Problem[]): string {
  try {
    const url = new URL(host)
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError('neither http nor https')
    if (prefix !== undefined) url.pathname = `${url.pathname.replace(/\/$/, '')}/${prefix.replace(/^\/|\/$/g, '')}`
    return url.href
  } catch {
    problems.push({ subject: 'hosts', message: 'holds what is no URL', fix: 'http://host:9200 or https://host:9200' })
    return ''
  }
}

/** Tables of the same nodes and user share a flush. */
export function identityOf(given: SearchOptions): string {
  const hosts = (given.hosts ?? '').split(';').map((host) => host.trim().replace(/\/$/, ''))
  return JSON.stringify([hosts.sort(), given.username, given['connection.path-prefix']])
}
