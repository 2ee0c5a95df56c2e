import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './services/run-command.ts'

export const projectFolder = join(import.meta.dirname, '..')

/** Compiles the package once a run: for tests that run the command line, and for the checks of what is published. */
export default async function buildPackage(): Promise<void> {
  const build = (globalThis as { [built]?: Promise<void> })[built] ?? compile()
  Object.assign(globalThis, { [built]: build })
  await build
}

/** Set-up files are loaded once for each project of the test configuration, in one process. */
const built = Symbol.for('tidegate.test.built')

async function compile(): Promise<void> {
  rmSync(join(projectFolder, 'dist'), { recursive: true, force: true })
  try {
    await runCommand(process.execPath, [tool('typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
      cwd: projectFolder,
    })
  } catch (error) {
    // tsc writes its output all the same; the type check among the tests is what fails
    console.warn(`The build is not clean: ${(error as Error).message}`)
  }
}

/** A program of one of the project's own packages, by its path there. */
export function tool(path: string): string {
  return join(projectFolder, 'node_modules', path)
}
