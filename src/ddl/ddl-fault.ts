import type { IToken } from 'chevrotain'

export interface DdlFaultFields {
  readonly hint?: string | undefined
  /** `DDL_UNSUPPORTED`: it is valid Flink SQL, but not for here. Default `DDL_SYNTAX`. */
  readonly code?: 'DDL_SYNTAX' | 'DDL_UNSUPPORTED' | undefined
  /** The message says what was expected; what was found is still to be added. */
  readonly addFound?: true | undefined
}

/** A fault at a token, before the text it stands in is known. Only thrown inside `src/ddl`. */
export class DdlFault extends Error {
  readonly token: IToken
  readonly fields: DdlFaultFields

  constructor(token: IToken, message: string, fields: DdlFaultFields = {}) {
    super(message)
    this.token = token
    this.fields = fields
  }
}
