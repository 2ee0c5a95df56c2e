import type { FileHandle } from 'node:fs/promises'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { TidegateError } from '../errors.ts'
import { toJsonText } from '../row/json-text.ts'
import type { DeadLetter, FailureHandler } from './failure-handler.ts'

/**
 * NDJSON file of rejected changes, one a line, in the form of `changelog-json` with `table`, `key`, `code`, `reason`,
 * `record` and `position` beside it: `tidegate run` takes it back as input once the cause is mended. Appended to, readable
 * by its owner only, synced before the flush that rejected the rows commits.
 */
export function createDeadLetterFile(path: string): FailureHandler {
  let opened: Promise<FileHandle> | undefined
  return {
    async handle(letters) {
      try {
        opened ??= openFile(path)
        const file = await opened
        await file.appendFile(letters.map((letter) => `${letterText(letter)}\n`).join(''))
        await file.datasync()
      } catch (error) {
        opened = undefined
        throw new TidegateError(`the dead-letter file cannot be written: ${(error as Error).message}`, {
          code: 'FLUSH_FAILED',
          hint: "check 'sink.dead-letter.path'",
          cause: error,
        })
      }
    },
    async close() {
      const file = await opened?.catch(() => undefined)
      opened = undefined
      await file?.close()
    },
  }
}

async function openFile(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true })
  return await open(path, 'a', 0o600)
}

function letterText(letter: DeadLetter): string {
  const { kind, row, table, key, code, reason, record, position } = letter
  return toJsonText({ op: kind, data: row, table, key, code, reason, record, position })
}
