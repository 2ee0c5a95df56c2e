import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { TidegateError } from '../errors.ts'
import type { InputRecord } from '../format/format.ts'
import type { OnMalformed } from '../format/stream-decoder.ts'
import { UsageError } from './usage-error.ts'

export const malformedChoices = ['fail', 'skip', 'dead-letter'] as const

export type MalformedChoice = (typeof malformedChoices)[number]

/**
 * What becomes of a line that cannot be read. `dead-letter` keeps the line as it is in a file beside the dead letters,
 * `<sink.dead-letter.path>.malformed`: mended, it can be run like any other input.
 */
export function malformedHandler(
  choice: MalformedChoice | undefined,
  deadLetterPath: string | undefined,
  note: (text: string) => void,
): OnMalformed | undefined {
  switch (choice) {
    case undefined:
    case 'fail':
      return choice
    case 'skip':
      return (error) => note(`skipped: ${error.message}`)
    case 'dead-letter': {
      if (deadLetterPath === undefined) {
        throw new UsageError(
          '--on-malformed dead-letter needs a file to write to',
          "name one in the DDL: 'sink.dead-letter.path' = './rejected.ndjson'; broken lines go to the same name with .malformed behind it",
        )
      }
      const path = `${deadLetterPath}.malformed`
      return (error, record) => {
        keepLine(path, record)
        note(`kept in ${path}: ${error.message}`)
      }
    }
  }
}

/** Synced before the next line is read, so that no position passes a line that is not safe. */
function keepLine(path: string, { value }: InputRecord): void {
  const line = value instanceof Uint8Array ? value : Buffer.from(typeof value === 'string' ? value : '')
  try {
    mkdirSync(dirname(path), { recursive: true })
    const file = openSync(path, 'a', 0o600)
    try {
      writeSync(file, Buffer.concat([line, Buffer.from('\n')]))
      fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw new TidegateError(`the file for broken lines cannot be written: ${(error as Error).message}`, {
      code: 'FLUSH_FAILED',
      cause: error,
    })
  }
}
