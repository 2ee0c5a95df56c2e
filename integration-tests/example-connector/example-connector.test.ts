import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { projectFolder, tool } from '../build-package.ts'
import { runCommand } from '../services/run-command.ts'

/** The example of docs/writing-a-connector.md, as a project of somebody else's that has installed the package. */
const folder = mkdtempSync(join(tmpdir(), 'tidegate-example-'))
const files = ['json-file.ts', 'json-file-conformance.ts']

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('the example connector compiles against the package and passes its conformance suite', async () => {
  for (const file of [...files, 'tsconfig.json']) cpSync(join(import.meta.dirname, file), join(folder, file))
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(projectFolder, join(folder, 'node_modules', 'tidegate'))
  symlinkSync(join(projectFolder, 'node_modules', '@types'), join(folder, 'node_modules', '@types'))

  await runCommand(process.execPath, [tool('typescript/bin/tsc'), '-p', '.'], { cwd: folder })
  const printed = await runCommand(process.execPath, ['out/json-file-conformance.js'], { cwd: folder })
  expect(printed).toMatch(/^\d{3} cases, 0 failed$/m)
})

test.each(files)('the documentation shows %s as it is', (file) => {
  const page = readFileSync(join(projectFolder, 'docs', 'writing-a-connector.md'), 'utf8')
  const source = readFileSync(join(import.meta.dirname, file), 'utf8')
  expect(page).toContain(`\`\`\`ts\n${source}\`\`\``)
})
