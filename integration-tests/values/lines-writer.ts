import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { decode } from '../../src/format/decode.ts'
import { createSink } from '../../src/sink/create-sink.ts'

/** A process that writes lines of changelog-json, in whatever time zone it is started. */
export interface LinesWriterTask {
  readonly ddl: string
  readonly lines: readonly string[]
}

const { ddl, lines } = JSON.parse(process.argv[2] ?? '') as LinesWriterTask
const sink = await createSink({ table: ddl })
const text = lines.map((line) => `${line}\n`).join('')
await pipeline(Readable.from([Buffer.from(text)]), decode('changelog-json'), sink.writable())
console.log(JSON.stringify({ zone: new Date(0).getTimezoneOffset() }))
