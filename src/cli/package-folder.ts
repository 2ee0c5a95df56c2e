import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AssertionFailure } from '../assert.ts'

/** Folder of the package that this file belongs to, whether it runs from its source or compiled. */
export function packageFolder(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  throw new AssertionFailure('the command line belongs to a package')
}
