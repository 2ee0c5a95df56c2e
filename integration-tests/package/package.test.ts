import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectFolder, tool } from '../build-package.ts'
import { runCommand } from '../services/run-command.ts'
import { runScript } from './run-script.ts'

/** What `npm publish` would send, and a project that installs it. */
const folder = mkdtempSync(join(tmpdir(), 'tidegate-package-'))
let tarball = ''

beforeAll(async () => {
  const packed = await runCommand('npm', ['pack', '--json', '--pack-destination', folder], { cwd: projectFolder })
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  tarball = join(folder, filename)
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('the package holds no tests and no sources', async () => {
  const files = (await runCommand('tar', ['-tzf', tarball])).trim().split('\n')
  expect(files.filter((file) => /\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual([])
  expect(files).toContain('package/LICENSE')
})

test('a project that installs the package compiles under strict settings and runs a sink', async () => {
  const consumer = join(folder, 'consumer')
  cpSync(join(projectFolder, 'integration-tests', 'consumer'), consumer, { recursive: true })
  writeFileSync(join(consumer, 'package.json'), '{ "private": true, "type": "module" }\n')
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball, '@types/node@20']
  await runCommand('npm', install, { cwd: consumer, env: { npm_config_local_prefix: consumer } })

  await runCommand(process.execPath, [tool('typescript/bin/tsc'), '-p', '.'], { cwd: consumer })
  const printed = await runCommand(process.execPath, ['out/main.js'], { cwd: consumer })
  expect(printed.trim().split('\n').at(-1)).toBe('OPTION_INVALID')
  expect(printed).toContain('paid')
})

test('the demo of the README runs, builds what it needs, and ends by itself', async () => {
  const { exitCode, output } = await runScript('demo')
  expect(exitCode, output).toBe(0)
})
