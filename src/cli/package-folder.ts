import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { AssertionFailure } from '../assert.ts'

/** Folder of the package that this file belongs to, whether it runs from its source or compiled. */
export function packageFolder(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  throw new AssertionFailure('the command line belongs to a package')
}

/** A file of the package as the user can name it: from the working folder where that is shorter, e.g. `node_modules/…`. */
export function packagePath(...parts: readonly string[]): string {
  const path = join(packageFolder(), ...parts)
  const fromHere = relative(process.cwd(), path)
  return fromHere.startsWith('..') ? path : fromHere
}
