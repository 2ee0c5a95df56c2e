import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance, type Harness } from 'tidegate/testing'
import { jsonFile } from './json-file.js'

const folder = await mkdtemp(join(tmpdir(), 'json-file-'))
const path = join(folder, 'tables.json')

const harness: Harness = {
  connector: jsonFile,
  prepare: async () => ({ connector: 'json-file', path }),
  snapshot: async ({ name }) => {
    const json = await readFile(path, 'utf8').catch(() => '{}')
    return JSON.parse(json)[name] ?? []
  },
  dispose: () => rm(folder, { recursive: true }),
}

// with a test runner: for (const { title, run } of conformance(harness)) test(title, run)
let failed = 0
for (const { id, title, run } of conformance(harness)) {
  try {
    await run()
  } catch (error) {
    failed++
    console.log(`not ok  ${title} (${id})\n${error instanceof Error ? error.stack : error}`)
  }
}
await harness.dispose()
console.log(`${conformance(harness).length} cases, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
