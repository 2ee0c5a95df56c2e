import { must } from '../../src/assert.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { type Coercion, createCoercion } from '../../src/row/coerce.ts'
import type { Value } from '../../src/row/value.ts'
import { quoteIdentifier, quoteQualified } from './identifier.ts'
import type { Session, Statement } from './session.ts'
import { storedValue } from './statements/staged.ts'
import type { Target } from './target.ts'

/** Text forms are the same whatever the session and the server are set to. */
export const plainText: readonly Statement[] = [
  { text: "SET LOCAL TimeZone TO 'UTC'" },
  { text: "SET LOCAL DateStyle TO 'ISO'" },
  { text: "SET LOCAL bytea_output TO 'hex'" },
  { text: 'SET LOCAL extra_float_digits TO 1' },
]

/** The declared columns of the rows that a reader sees, in order of the key, as canonical values. */
export async function readRows(
  session: Session,
  plan: TablePlan,
  target: Target,
  limit: number,
): Promise<readonly Readonly<Record<string, Value | null>>[]> {
  const declared = plan.schema.columns.map(({ name, type }): readonly [string, Coercion] => [
    name,
    createCoercion(type, { bytes: 'postgres' }),
  ])
  const answers = await session.run([...plainText, { text: selectRows(plan, target, limit) }])
  const rows = must(answers.at(-1), 'an answer a statement').rows
  return rows.map((row) => {
    const object: Record<string, Value | null> = Object.create(null)
    for (const [index, [name, coerce]] of declared.entries()) {
      const text = row[index]
      object[name] = text === null || text === undefined ? null : coerce(text)
    }
    return object
  })
}

function selectRows({ schema, merge }: TablePlan, target: Target, limit: number): string {
  const columns = schema.columns.map(({ name }) => `t.${quoteIdentifier(name)}::text`)
  const flag = merge.deletedFlag === undefined ? undefined : merge.columns[merge.deletedFlag]
  return [
    `SELECT ${columns.join(', ')}`,
    `FROM ${quoteQualified(target.name)} AS t`,
    ...(flag === undefined ? [] : [`WHERE t.${quoteIdentifier(flag.name)} IS NOT TRUE`]),
    ...(merge.key.length === 0
      ? []
      : [`ORDER BY ${merge.key.map((position) => storedValue(target, position)).join(', ')}`]),
    `LIMIT ${limit}`,
  ].join('\n')
}
