import type { MergeChange } from '../../../src/merge/merge-change.ts'
import type { Target } from '../target.ts'
import { initialValue, isCleared, isCollectDelta, isProductStep } from './change-shape.ts'
import { excludedValue, StagedSet, storedValue } from './staged.ts'

/**
 * Where an expression takes its values from. An upsert of changes that lack nothing reads them from EXCLUDED and stands in
 * one statement; everything else is staged with a flag for what can't be seen from the value.
 */
export interface Operands {
  stored(position: number): string
  incoming(position: number): string
  /** Whether the change says anything of the column; `elsewise`: how that can be seen from the values of a complete change. */
  says(position: number, elsewise: string): string
  /** A retract has cleared the column first; undefined: can't be. */
  cleared(position: number): string | undefined
  /** The product is to be divided; undefined: can't be. */
  divides(position: number): string | undefined
  /** Elements to take out of a collected array first; undefined: can't be. */
  takenOut(position: number): string | undefined
  /** The change adds a record, as opposed to taking one back; undefined: always. */
  readonly adds: string | undefined
}

export function excludedOperands(target: Target): Operands {
  return {
    stored: (position) => storedValue(target, position),
    incoming: (position) => excludedValue(target, position),
    says: (_position, elsewise) => elsewise,
    cleared: () => undefined,
    divides: () => undefined,
    takenOut: () => undefined,
    adds: undefined,
  }
}

export function stagedOperands(target: Target, set: StagedSet): Operands {
  return {
    stored: (position) => storedValue(target, position),
    incoming: (position) => set.value(position),
    says: (position) => set.has(position, '', ({ row }) => row[position] !== undefined),
    cleared: (position) => set.has(position, 'cleared', ({ row }) => isCleared(row[position])),
    divides: (position) => set.has(position, 'divides', ({ row }) => isDivision(row[position])),
    takenOut: (position) =>
      set.derived(position, 'removed', ({ row }) => {
        const contribution = row[position]
        return isCollectDelta(contribution) ? contribution.remove : null
      }),
    adds: set.flag('adds?', ({ op }) => op === 'upsert'),
  }
}

/** Values as the functions take them: factor or divisor of a product, the elements that come into a collection. */
export function mergeSet(target: Target): StagedSet {
  return new StagedSet(target, ({ row }, position) => {
    const contribution = row[position]
    if (isProductStep(contribution)) return contribution.by
    return isCollectDelta(contribution) ? contribution.add : initialValue(contribution)
  })
}

function isDivision(contribution: MergeChange['row'][number]): boolean {
  return isProductStep(contribution) && contribution.product === 'divide'
}
