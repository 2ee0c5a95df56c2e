import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFolder } from './lock-folder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-folder-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A process that lives until it is told to end. */
async function otherProcess() {
  const script = join(folder, 'wait.mjs')
  writeFileSync(script, "process.on('message', () => process.exit(0))\nprocess.send('up')")
  const child = fork(script)
  await once(child, 'message')
  return child
}

test('R1 a folder is made, and is locked for as long as it is open', () => {
  const place = join(folder, 'new', 'store')
  const lock = lockFolder(place, 'postgres')
  expect(readdirSync(place)).toEqual([`tidegate.${process.pid}.lock`])
  lock.release()
  lock.release()
  expect(readdirSync(place)).toEqual([])
  lockFolder(place, 'postgres').release()
})

test('R1 a second opener in the same process is refused, by whatever path it comes', () => {
  const lock = lockFolder(folder, 'postgres')
  const link = `${folder}-link`
  symlinkSync(folder, link)
  try {
    expect(() => lockFolder(link, 'postgres')).toThrow(expect.objectContaining({ code: 'STORE_LOCKED' }))
  } finally {
    rmSync(link)
    lock.release()
  }
})

test('R1 a folder that a living process has open is refused, and is free once that is dead', async () => {
  const child = await otherProcess()
  const file = join(folder, `tidegate.${child.pid}.lock`)
  writeFileSync(file, '')
  expect(() => lockFolder(folder, 'postgres')).toThrow(
    expect.objectContaining({ code: 'STORE_LOCKED', message: expect.stringContaining(`process ${child.pid}`) }),
  )
  expect(existsSync(join(folder, `tidegate.${process.pid}.lock`))).toBe(false)
  child.send('end')
  await once(child, 'exit')
  lockFolder(folder, 'postgres').release()
  expect(existsSync(file)).toBe(false)
})

test('R1 a lock from before the machine was started does not count, whoever has its process id now', async () => {
  const child = await otherProcess()
  const file = join(folder, `tidegate.${child.pid}.lock`)
  writeFileSync(file, '')
  utimesSync(file, new Date(0), new Date(0))
  lockFolder(folder, 'postgres').release()
  child.send('end')
  await once(child, 'exit')
})
