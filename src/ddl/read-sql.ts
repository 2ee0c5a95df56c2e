import { DdlParser } from './ddl-parser.ts'
import { DdlFault, syntaxError } from './syntax-error.ts'
import { tokenize } from './tokens.ts'

/** Building it takes a few milliseconds, so it is built once and only when SQL is read. */
let parser: DdlParser | undefined

/** Runs `read` on the tokens of the text; a `DdlFault` in it becomes an error that shows the place. */
export function readSql<Result>(sql: string, read: (parser: DdlParser) => Result): Result {
  parser ??= new DdlParser()
  parser.input = tokenize(sql)
  try {
    return read(parser)
  } catch (error) {
    throw error instanceof DdlFault ? syntaxError(sql, error) : error
  }
}
