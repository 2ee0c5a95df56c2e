import type { ChangelogElement } from '../changelog/element.ts'
import type { InputRecord } from '../format/format.ts'
import type { FlushReport, Sink } from '../sink/sink.ts'
import type { LineDecoder } from './line-decoder.ts'

/** Records in batches; an empty batch says that nothing has come for a while. */
export interface RecordSource {
  records(): AsyncIterable<readonly InputRecord[]>
}

/**
 * Everything of the file into the sink, until its end or until `isStopped` says so; then the sink's own end. When a record
 * is refused, what was accepted before it is written all the same, and the refusal is thrown.
 */
export async function pumpChangelog(
  file: RecordSource,
  decoder: LineDecoder,
  sink: Sink,
  isStopped: () => boolean = () => false,
): Promise<FlushReport> {
  try {
    await pump(file, decoder, sink, isStopped)
  } catch (error) {
    await sink.close().catch(() => {})
    throw error
  }
  return await sink.close()
}

async function pump(file: RecordSource, decoder: LineDecoder, sink: Sink, isStopped: () => boolean): Promise<void> {
  const elements: ChangelogElement[] = []
  const push = (element: ChangelogElement): void => {
    elements.push(element)
  }
  const drain = async (): Promise<void> => {
    for (const element of elements) await sink.write(element)
    elements.length = 0
  }
  for await (const batch of file.records()) {
    if (batch.length === 0) decoder.release(push)
    for (const record of batch) {
      if (isStopped()) return
      try {
        decoder.decode(record, push)
      } finally {
        // what a record gave out before it turned out to be broken belongs to the lines before it
        if (elements.length > 0) await drain()
      }
    }
    await drain()
  }
  // what the decoder still holds when a signal comes is not at its end: it is read again the next time
  if (isStopped()) return
  decoder.end(push)
  await drain()
}
