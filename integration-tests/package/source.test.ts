import { expect, test } from 'vitest'
import { runScript } from './run-script.ts'

test.for([
  ['lint', 'the source is formatted, and the linter finds nothing'],
  ['typecheck', 'the types fit'],
  ['boundaries', 'imports go one way only, and nowhere in circles'],
  ['unused', 'no file, export or dependency is unused'],
  ['check:package', 'every entry point of the package resolves to its types and its code'],
] as const)('npm run %s: %s', async ([script]) => {
  const { exitCode, output } = await runScript(script)
  expect(exitCode, output).toBe(0)
})
