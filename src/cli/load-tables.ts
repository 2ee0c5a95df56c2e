import { readFile } from 'node:fs/promises'
import { parseScript } from '../ddl/parse-script.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import { writtenTables } from '../sink/plan-tables.ts'
import { UsageError } from './usage-error.ts'

/** The tables that a DDL file writes into: the one that is named, else those that its INSERTs name, else all of them. */
export async function loadTables(path: string, name: string | undefined): Promise<readonly TableDefinition[]> {
  return writtenTables(parseScript(await readDdl(path)), name)
}

async function readDdl(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`the DDL file ${path} ${reasonOf(error)}`, 'the first argument is a file with CREATE TABLE')
  }
}

/** Why a file cannot be read, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'does not exist'
    case 'EACCES':
      return 'may not be read'
    case 'EISDIR':
      return 'is a directory'
    default:
      return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}
