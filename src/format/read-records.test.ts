import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TidegateError } from '../errors.ts'
import { readRecordBatches, readRecords } from './read-records.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidegate-read-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function lines(source: Parameters<typeof readRecords>[0]): Promise<string[]> {
  const found: string[] = []
  for await (const { record, value } of readRecords(source)) found.push(`${record}:${Buffer.from(value as Uint8Array)}`)
  return found
}

const content = '{"a":1}\n\n{"a":2}\r\n{"a":"é"}'
const expected = ['1:{"a":1}', '3:{"a":2}', '4:{"a":"é"}']

test('a file is read, plain and in gzip of one member or several', async () => {
  const file = join(folder, 'changes')
  await writeFile(file, content)
  expect(await lines(file)).toEqual(expected)
  await writeFile(file, gzipSync(content))
  expect(await lines(file)).toEqual(expected)
  await writeFile(file, Buffer.concat([gzipSync(content.slice(0, 12)), gzipSync(content.slice(12))]))
  expect(await lines(file)).toEqual(expected)
})

test('a stream is read in whatever pieces it comes', async () => {
  const single = (bytes: Buffer) =>
    Readable.from(
      [...bytes].map((byte) => Buffer.from([byte])),
      { objectMode: false },
    )
  expect(await lines(single(Buffer.from(content)))).toEqual(expected)
  expect(await lines(single(gzipSync(content)))).toEqual(expected)
  expect(await lines(Readable.from([content.slice(0, 20), content.slice(20)]))).toEqual(expected)
})

test('an empty input has no record', async () => {
  expect(await lines(Readable.from([]))).toEqual([])
  expect(await lines(Readable.from([Buffer.alloc(0), Buffer.from('\n')]))).toEqual([])
})

test('a large input keeps every line', async () => {
  const file = join(folder, 'large.gz')
  const count = 50_000
  await writeFile(file, gzipSync(Array.from({ length: count }, (_, index) => `{"id":${index}}`).join('\n')))
  let seen = 0
  for await (const batch of readRecordBatches(file)) {
    for (const { value, record } of batch) {
      expect(Buffer.from(value as Uint8Array).toString()).toBe(`{"id":${seen}}`)
      expect(record).toBe(++seen)
    }
  }
  expect(seen).toBe(count)
})

test('what cannot be read is refused by code', async () => {
  await expect(lines(join(folder, 'none'))).rejects.toThrow('none does not exist')
  await expect(lines(folder)).rejects.toThrow('is a directory')
  const file = join(folder, 'broken.gz')
  await writeFile(file, gzipSync(content).subarray(0, 20))
  await expect(lines(file)).rejects.toThrow(TidegateError)
  await expect(lines(file)).rejects.toThrow('broken.gz is not whole gzip')
})

test('an abort ends the reading', async () => {
  const controller = new AbortController()
  const endless = (async function* () {
    for (;;) yield Buffer.from('{}\n')
  })()
  const read = async () => {
    for await (const _ of readRecordBatches(endless, { signal: controller.signal }))
      controller.abort(new Error('enough'))
  }
  await expect(read()).rejects.toThrow('enough')
})
