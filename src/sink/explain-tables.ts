import { type Explanation, explain } from '../plan/explain.ts'
import type { SourceInput } from '../plan/plan-input.ts'
import { draftSink } from '../plan/plan-sink.ts'
import type { CreateSinksOptions } from './create-sink-options.ts'
import { definitionsOf, readTables, sourceOf, type TableSet } from './plan-tables.ts'

/**
 * What `createSinks` would do with the same tables, one explanation for each flush domain; touches no store. A plan that
 * would be refused comes with its reasons (`refused`) and as far as it got. Throws for options that cannot be read.
 */
export async function explainTables(
  options: Pick<CreateSinksOptions, 'tables' | 'connectors' | 'source'>,
): Promise<readonly Explanation[]> {
  return explainSets(await readTables(definitionsOf(options.tables), options.connectors), options.source)
}

export function explainSets(sets: readonly TableSet[], source: SourceInput = {}): readonly Explanation[] {
  return sets.map(({ connector, inputs }) => {
    const { plan, refusal } = draftSink(connector, inputs, sourceOf(inputs, source))
    return explain(connector, plan, refusal)
  })
}
