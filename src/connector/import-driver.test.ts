import { expect, test } from 'vitest'
import { importDriver } from './import-driver.ts'

const driver = { connector: 'postgres', name: 'no-such-driver', range: '^1.2.3' }

test('a driver that is not installed is named with the npm command', async () => {
  // @ts-expect-error the package does not exist
  await expect(importDriver(driver, () => import('no-such-driver'))).rejects.toMatchObject({
    code: 'DRIVER_MISSING',
    connector: 'postgres',
    hint: "npm install 'no-such-driver@^1.2.3'",
  })
})

test('a driver that fails to load for another reason keeps its error', async () => {
  const broken = new Error('wrong architecture')
  await expect(importDriver(driver, () => Promise.reject(broken))).rejects.toBe(broken)
  const inner = Object.assign(new Error("Cannot find package 'its-own-need'"), { code: 'ERR_MODULE_NOT_FOUND' })
  await expect(importDriver(driver, () => Promise.reject(inner))).rejects.toBe(inner)
})

test('a driver that is there is handed back', async () => {
  const module = await importDriver({ ...driver, name: 'node:path' }, () => import('node:path'))
  expect(module.sep).toBeTypeOf('string')
})
