import type { Connection } from './client.ts'

export interface ServerInfo {
  /** E.g. `Redis 7.0.15`. */
  readonly name: string
  readonly mode: string
  readonly evictionPolicy: string | undefined
  /** Something of what is written outlives the process. */
  readonly persists: boolean
}

export async function serverOf(connection: Connection): Promise<ServerInfo> {
  const info = String(await connection.call(undefined, ['INFO']))
  const member = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const valkey = member('valkey_version')
  return {
    name: valkey === undefined ? `Redis ${member('redis_version') ?? 'of unknown version'}` : `Valkey ${valkey}`,
    mode: member('redis_mode') ?? member('server_mode') ?? 'standalone',
    evictionPolicy: member('maxmemory_policy'),
    persists: member('aof_enabled') === '1',
  }
}
