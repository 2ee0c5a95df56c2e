import { must } from '../../../src/assert.ts'
import type { TablePlan } from '../../../src/plan/plan.ts'
import type { Value } from '../../../src/row/value.ts'
import { typeMapping, valueWriter } from '../type-mapping.ts'
import type { TableColumn } from './engine.ts'

/** The columns of the plan as they are stored. `notNull`: positions that a NULL never comes to, whatever the DDL says. */
export function planColumns(
  { merge }: Pick<TablePlan, 'merge'>,
  notNull: ReadonlySet<number>,
  allNullable = false,
): readonly TableColumn[] {
  return merge.columns.map(({ name, type, nullable }, at) => {
    const native = must(typeMapping.nativeType(type), 'a plan has only types that the store can hold')
    const write = valueWriter(type)
    if (at === merge.deletedFlag) {
      return { name, type: native, isOwn: false, write: (out, { isDeleted }) => out.byte(isDeleted ? 1 : 0) }
    }
    if (notNull.has(at) || !(nullable || allNullable)) {
      return {
        name,
        type: native,
        isOwn: false,
        write: (out, { row }) => write(out, (row[at] ?? null) as Value | null),
      }
    }
    return {
      name,
      type: `Nullable(${native})`,
      isOwn: false,
      write: (out, { row }) => {
        const value = (row[at] ?? null) as Value | null
        out.byte(value === null ? 1 : 0)
        if (value !== null) write(out, value)
      },
    }
  })
}

export function columnNames({ merge }: Pick<TablePlan, 'merge'>, positions: readonly number[]): readonly string[] {
  return positions.map((at) => must(merge.columns[at], 'a column of the plan').name)
}
