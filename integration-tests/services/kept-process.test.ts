import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keeperScript, keepProcess, shellQuote } from './kept-process.ts'

test('a server ends, and its folder goes, when the run that started it is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-kept-'))
  const shell = ['-c', keeperScript, 'keeper', 'TERM', '/dev/null', `rm -rf ${shellQuote(folder)}`, 'sleep', '600']
  // stands for the test run: it holds the pipe to the keeper and prints the pid of the server
  const run = spawn(process.execPath, [
    '--eval',
    `const { spawn } = require('node:child_process')
     spawn('/bin/sh', ${JSON.stringify(shell)}, { detached: true, stdio: ['pipe', 'inherit', 'ignore'] })`,
  ])
  onTestFinished(() => void run.kill('SIGKILL'))
  const pid = await new Promise<number>((resolve) => {
    createInterface(run.stdout).once('line', (line) => resolve(Number(line)))
  })
  expect(isRunning(pid)).toBe(true)

  run.kill('SIGKILL')
  await vi.waitFor(() => expect([isRunning(pid), existsSync(folder)]).toEqual([false, false]), 10_000)
})

test('a server that does not end when it is asked to is killed; a pause leaves its folder, a stop does not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-kept-'))
  const log = join(folder, 'log')
  const clean = `rm -rf ${shellQuote(folder)}`
  const stubborn = 'trap "" TERM; echo ready; while :; do sleep 0.1; done'
  const paused = await keepProcess({ command: ['/bin/sh', '-c', stubborn], cwd: folder, log, signal: 'TERM', clean })
  await vi.waitFor(() => expect(readFileSync(log, 'utf8')).toBe('ready\n'), 10_000)
  await paused.pause()
  expect([isRunning(paused.pid), existsSync(folder)]).toEqual([false, true])

  const stopped = await keepProcess({ command: ['sleep', '600'], cwd: folder, log, signal: 'TERM', clean })
  await stopped.stop()
  expect([isRunning(stopped.pid), existsSync(folder)]).toEqual([false, false])
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
