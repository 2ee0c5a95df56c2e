import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'
import { insertStatement, onConflict } from './insert.ts'
import type { TableStatements } from './route.ts'

/** `first-row`: what is there stays. */
export function firstRowStatements(plan: MergePlan, target: Target): TableStatements {
  const statement = insertStatement(plan, target, {
    name: 'first rows',
    read: ({ row }, position) => row[position],
    isHidden: () => false,
    defaults: true,
    conflict: [`${onConflict(plan, target)} DO NOTHING`],
  })
  const route = { kind: 'direct', statement, removes: () => false, countsStale: true } as const
  return { route: () => route, all: [{ purpose: 'rows whose key is new', statement }] }
}
