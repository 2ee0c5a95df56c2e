import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { ChangelogElement } from '../changelog/element.ts'
import { brief } from '../testing/decode-all.ts'
import { type DecodeOptions, type DecodeStream, decode } from './decode.ts'

async function run(chunks: Iterable<unknown>, format?: string, options?: DecodeOptions) {
  const stream: DecodeStream = decode(format, options)
  const elements: ChangelogElement[] = []
  await pipeline(Readable.from(chunks), stream, async (source: AsyncIterable<ChangelogElement>) => {
    for await (const element of source) elements.push(element)
  })
  return { stream, elements: brief(elements).filter((text) => text !== 'position') }
}

const lines = '{"op":"+I","data":{"id":1}}\n{"op":"-D","data":{"id":1}}'
const expected = ['+I {"id":1}', '-D {"id":1}']

test('text and bytes are cut into lines wherever they are broken, gzip or not', async () => {
  for (const bytes of [Buffer.from(lines), gzipSync(lines)]) {
    for (const size of [5, 1000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      const { elements, stream } = await run(chunks)
      expect(elements).toEqual(expected)
      expect(stream.counts).toEqual({ records: 2, malformed: 0 })
      expect(stream.format?.name).toBe('changelog-json')
    }
  }
  expect((await run([lines.slice(0, 10), lines.slice(10)])).elements).toEqual(expected)
})

test('objects are records: decoded values, Kafka records, input records', async () => {
  const change = { op: '+I', data: { id: 1 } }
  const bytes = Buffer.from(JSON.stringify(change))
  const kafka = { topic: 't', partition: 0, message: { offset: '1', key: null, value: bytes } }
  const { elements } = await run([change, kafka, { value: bytes }, { value: JSON.stringify(change), key: null }])
  expect(elements).toEqual(Array(4).fill('+I {"id":1}'))
})

test('a file streams through', async () => {
  const path = fileURLToPath(new URL('./fixtures/flink/debezium.ndjson.gz', import.meta.url))
  const stream = decode('debezium-json')
  let count = 0
  await pipeline(
    createReadStream(path, { highWaterMark: 1024 }),
    stream,
    async (source: AsyncIterable<ChangelogElement>) => {
      for await (const _ of source) count++
    },
  )
  expect(count).toBe(1982)
})

test('a record that cannot be read destroys the stream, or is skipped and counted', async () => {
  const chunks = [`${lines}\nbroken\n${lines}`]
  await expect(run(chunks)).rejects.toThrow('line 3 is not JSON')
  const { elements, stream } = await run(chunks, 'changelog-json', { onMalformed: 'skip' })
  expect(elements).toHaveLength(4)
  expect(stream.counts).toEqual({ records: 5, malformed: 1 })
  await expect(run([7], 'json')).rejects.toThrow('line 1 is a number, and no record')
})

test('broken gzip and unknown formats end the stream with their code', async () => {
  await expect(run([gzipSync(lines).subarray(0, 30)])).rejects.toMatchObject({ code: 'INPUT_MALFORMED' })
  const wrong = gzipSync(lines)
  wrong.fill(0xff, 12)
  await expect(run([wrong])).rejects.toMatchObject({ code: 'INPUT_MALFORMED' })
  await expect(run([gzipSync('{"a":1}')])).rejects.toMatchObject({ code: 'FORMAT_UNKNOWN' })
  await expect(run(['{"a":1}'])).rejects.toMatchObject({ code: 'FORMAT_UNKNOWN' })
  expect(() => decode('odd')).toThrow('there is no format named "odd"')
})

test('a delete that waits for the create of its update is let go when nothing follows', async () => {
  const stream = decode('debezium-json', { primaryKey: ['id'] })
  stream.write({ op: 'd', before: { id: 1 }, after: null })
  const [element] = (await once(stream, 'data')) as [ChangelogElement]
  expect(brief([element])).toEqual(['-D {"id":1}'])
  stream.destroy()
})

test('a slow reader holds the writer back', async () => {
  const stream = decode('json')
  let pulled = 0
  const source = (function* () {
    for (let id = 0; id < 50_000; id++) {
      pulled++
      yield { id }
    }
  })()
  const reading = pipeline(Readable.from(source), stream, async (elements: AsyncIterable<ChangelogElement>) => {
    let read = 0
    for await (const _ of elements) {
      if (++read === 1) await new Promise((resolve) => setTimeout(resolve, 50))
      if (read === 1) expect(pulled).toBeLessThan(5_000)
    }
    expect(read).toBe(50_000)
  })
  await reading
})
