import type { CaseContext } from '../case-context.ts'
import type { Need } from './need.ts'

/** A case that is more than a changelog and the rows after it. */
export interface FreeCase {
  readonly id: string
  /** Begins with the rule that it shows. */
  readonly title: string
  readonly needs?: readonly Need[] | undefined
  readonly run: (context: CaseContext) => Promise<void>
  /**
   * The table that must be refused where a need is not declared: columns and options. Undefined: `people`, with what the
   * needs ask for.
   */
  readonly ask?: { readonly columns: string; readonly options?: Readonly<Record<string, string>> } | undefined
}

export const people = 'id INT, name STRING, city STRING, PRIMARY KEY (id) NOT ENFORCED'
