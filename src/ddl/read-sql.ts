import { DdlFault } from './ddl-fault.ts'
import { DdlParser } from './ddl-parser.ts'
import { syntaxError } from './syntax-error.ts'
import { tokenize } from './tokens.ts'

/** Building it takes a few milliseconds, so it is built once and only when SQL is read. */
let parser: DdlParser | undefined

/** Runs `read` on the tokens of the text; a `DdlFault` in it becomes an error that shows the place. */
export function readSql<Result>(sql: string, read: (parser: DdlParser) => Result): Result {
  const result = readOrFault(sql, read)
  if (result instanceof DdlFault) throw syntaxError(sql, result)
  return result
}

/** The same, for a caller that shows the fault in its own way. */
export function readOrFault<Result>(sql: string, read: (parser: DdlParser) => Result): Result | DdlFault {
  parser ??= new DdlParser()
  parser.input = tokenize(sql)
  try {
    return read(parser)
  } catch (error) {
    if (error instanceof DdlFault) return error
    throw error
  }
}
