import { mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { TidegateError } from '../errors.ts'

/** Held until `release`; what a killed process has left does not count. */
export interface FolderLock {
  /** Idempotent. */
  release(): void
}

/** Folders that this process has open. */
const opened = new Set<string>()

/**
 * Keeps a second opener out of the folder of an embedded engine that has no lock of its own and would be corrupted by it.
 * Each process leaves a file of its own, named by its process id, and then looks for those of others: of two that come at
 * once both see each other, so at most one stays. The folder is made if need be. Throws `STORE_LOCKED`.
 */
export function lockFolder(folder: string, connector: string): FolderLock {
  mkdirSync(folder, { recursive: true })
  const path = realpathSync(folder)
  if (opened.has(path)) {
    throw new TidegateError(`the folder ${folder} is open in this process already`, {
      code: 'STORE_LOCKED',
      connector,
      hint: 'close the other sink first, or open the engine yourself and hand it to both as `client`',
    })
  }
  const own = join(path, lockName(process.pid))
  writeFileSync(own, '')
  const other = livingOthers(path)
  if (other !== undefined) {
    rmSync(own, { force: true })
    throw new TidegateError(`the folder ${folder} is in use by process ${other}`, {
      code: 'STORE_LOCKED',
      connector,
      hint: `wait until it ends; if that process has nothing to do with the folder, delete ${join(folder, lockName(other))}`,
    })
  }
  opened.add(path)
  return {
    release: () => {
      if (opened.delete(path)) rmSync(own, { force: true })
    },
  }
}

function lockName(pid: number): string {
  return `tidegate.${pid}.lock`
}

/** Id of another process that holds the folder; clears away what dead ones have left. */
function livingOthers(path: string): number | undefined {
  for (const name of readdirSync(path)) {
    const pid = Number(/^tidegate\.(\d+)\.lock$/.exec(name)?.[1] ?? process.pid)
    if (pid === process.pid) continue
    const file = join(path, name)
    if (isAlive(pid) && isOfThisBoot(file)) return pid
    rmSync(file, { force: true })
  }
  return undefined
}

/** A process of another user is alive too, though it takes no signal from us. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** After a restart of the machine the id belongs to whoever got it since. */
function isOfThisBoot(file: string): boolean {
  const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  return writtenAt !== undefined && writtenAt >= Date.now() - uptime() * 1000
}
