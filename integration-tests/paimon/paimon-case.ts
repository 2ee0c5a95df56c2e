import type { RowKind } from '../../src/row/row-kind.ts'

/** A table of several keys, in Paimon's own option names, and the changes that go into it. */
export interface PaimonCase {
  readonly id: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly options: Readonly<Record<string, string>>
  /** Options that only tidegate has. */
  readonly sinkOptions: Readonly<Record<string, string>>
  /** In each round at most one record a key, whose column is the first one. */
  readonly rounds: readonly (readonly PaimonRecord[])[]
  /** All records in one Paimon commit, or a commit for each round. */
  readonly commit: 'one' | 'each'
  /** Columns that an artefact of Paimon decides in a key that was retracted, see `random-cases.ts`. */
  readonly notAfterRetract: readonly string[]
  /** Paimon shows aggregates that only retracts have touched; tidegate does not (rule A4). */
  readonly showsRetracted: boolean
}

export interface PaimonRecord {
  readonly kind: RowKind
  readonly row: readonly unknown[]
}
