import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRoot, type ServerUser } from './server-user.ts'

/**
 * What is downloaded or built once and used by later runs. Outside the project, so that a clean clone finds it again, and
 * for root outside its home, which other users cannot search.
 */
export function cacheFolder(): string {
  const folder = process.env['TIDEGATE_TEST_CACHE'] ?? join(isRoot() ? '/var/tmp' : userCache(), 'tidegate-test')
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  if (process.getuid !== undefined && statSync(folder).uid !== process.getuid()) {
    throw new Error(`${folder} belongs to another user: remove it, or name another folder in TIDEGATE_TEST_CACHE`)
  }
  return folder
}

/** A new folder for one server, owned by the user that the server runs as. Not under a home: the user must reach it. */
export function createServerFolder(service: string, owner: ServerUser | undefined): string {
  const parent = isRoot() && existsSync('/var/tmp') ? '/var/tmp' : tmpdir()
  const folder = mkdtempSync(join(parent, `tidegate-${service}-`))
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o700)
  return folder
}

function userCache(): string {
  return process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
}
