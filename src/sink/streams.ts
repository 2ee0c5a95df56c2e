import { Writable } from 'node:stream'
import type { ChangelogElement } from '../changelog/element.ts'

/**
 * The sink as a Node stream in object mode. Ending it closes the sink, so `pipeline` rejects if anything was not written.
 * Node's own disposal of a Writable destroys it and loses what is buffered; this one ends it and waits.
 */
export function createWritable(sink: StreamedSink): Writable {
  return new SinkWritable(sink)
}

class SinkWritable extends Writable {
  readonly #sink: StreamedSink

  constructor(sink: StreamedSink) {
    super({ objectMode: true, highWaterMark: 1024 })
    this.#sink = sink
  }

  override _write(element: ChangelogElement, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#sink.write(element).then(() => callback(), callback)
  }

  override _writev(
    chunks: { chunk: ChangelogElement; encoding: string }[],
    callback: (error?: Error | null) => void,
  ): void {
    this.#writeAll(chunks).then(() => callback(), callback)
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#sink.close().then(() => callback(), callback)
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (error === null) {
      callback()
      return
    }
    // the source failed: what was accepted is still written, since that is always allowed
    this.#sink.close().then(
      () => callback(error),
      () => callback(error),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.writableEnded) this.end()
    await this.#sink.close()
  }

  async #writeAll(chunks: readonly { chunk: ChangelogElement }[]): Promise<void> {
    for (const { chunk } of chunks) await this.#sink.write(chunk)
  }
}

/** The sink as a WHATWG stream. */
export function createWebWritable(sink: StreamedSink): WritableStream<ChangelogElement> {
  return new WritableStream<ChangelogElement>(
    {
      write: (element) => sink.write(element),
      close: async () => {
        await sink.close()
      },
      abort: (reason: unknown) => sink.abort(reason),
    },
    new CountQueuingStrategy({ highWaterMark: 1024 }),
  )
}

/** What the streams need of a sink. */
interface StreamedSink {
  write(element: ChangelogElement): Promise<void>
  close(): Promise<unknown>
  abort(reason?: unknown): Promise<void>
}
