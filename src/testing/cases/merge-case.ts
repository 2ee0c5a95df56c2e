import type { ErrorCode } from '../../errors.ts'
import type { Need } from './need.ts'

/**
 * A changelog and the rows that a reader must see after it, however it is cut into flushes. The suite writes it once with a
 * flush after each change (never between the two halves of an update), once in a single flush, and once as a restart would.
 */
export interface MergeCase {
  readonly id: string
  /** Begins with the rule that it shows. */
  readonly title: string
  readonly needs?: readonly Need[] | undefined
  /** Columns and primary key, as in CREATE TABLE. */
  readonly columns: string
  readonly options?: Readonly<Record<string, string>> | undefined
  /** In the notation of `parseChangelog`. */
  readonly changelog: string
  /** One row each, in the notation of `parseChangelog` without a kind. */
  readonly rows: readonly string[]
  /** Codes of the records that must be rejected, in their order. The rest is written all the same. */
  readonly rejected?: readonly ErrorCode[] | undefined
}
