import type { Change } from '../src/changelog/element.ts'
import { createSink } from '../src/sink/create-sink.ts'
import type { CreateSinkOptions } from '../src/sink/create-sink-options.ts'
import type { FlushReport } from '../src/sink/sink.ts'

/** Opens a sink, writes the changes in one flush and closes it. */
export async function writeAll(options: CreateSinkOptions, changes: readonly Change[]): Promise<FlushReport> {
  const sink = await createSink(options)
  for (const change of changes) await sink.write(change)
  return await sink.close()
}
