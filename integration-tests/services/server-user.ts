import { readFileSync } from 'node:fs'
import { ServiceUnavailable } from './service-unavailable.ts'

export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** PostgreSQL refuses to run as root: then it runs as `postgres` or `nobody`. Undefined: as whoever runs the tests. */
export function unprivilegedUser(): ServerUser | undefined {
  if (!isRoot()) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find(([account]) => account === name)
    if (account !== undefined) return { uid: Number(account[2]), gid: Number(account[3]) }
  }
  throw new ServiceUnavailable('PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody')
}
