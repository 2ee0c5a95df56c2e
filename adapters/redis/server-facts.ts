import type { Link, Send } from './link.ts'

/** What a server says of itself. */
export interface ServerFacts {
  /** E.g. `Redis 7.0.15` or `Valkey 9.1.2`. */
  readonly name: string
  readonly version: readonly number[]
  readonly isCluster: boolean
  /** Fields of INFO that were asked for, by name. */
  readonly info: ReadonlyMap<string, string>
}

export async function serverFacts(link: Link): Promise<ServerFacts> {
  const [first] = await link.masters()
  if (first === undefined) throw new Error('the cluster has no node with slots')
  return await factsOf(first)
}

async function factsOf(send: Send): Promise<ServerFacts> {
  const info = parseInfo(String(await send(['INFO'])))
  const isValkey = info.get('server_name') === 'valkey'
  const text = (isValkey ? info.get('valkey_version') : info.get('redis_version')) ?? 'unknown'
  return {
    name: `${isValkey ? 'Valkey' : 'Redis'} ${text}`,
    version: (info.get('redis_version') ?? '0').split('.').map(Number),
    isCluster: info.get('cluster_enabled') === '1' || info.get('redis_mode') === 'cluster',
    info,
  }
}

function parseInfo(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const colon = line.indexOf(':')
    return colon > 0 && !line.startsWith('#') ? [[line.slice(0, colon), line.slice(colon + 1)]] : []
  })
  return new Map(pairs)
}
