import fc from 'fast-check'
import type { Row } from '../row/row.ts'
import { type RowKind, rowKinds } from '../row/row-kind.ts'
import { compileCase, keyOf, type MergeCase, readRow } from './merge-case.test-support.ts'
import type { LiftInput } from './merge-function.ts'
import { type AggregateFunction, aggregateFunctions, type MergePlan, takesRetract } from './merge-plan.ts'

/** Types small enough that values meet often; TINYINT so that sums reach the end of their range. */
const typeOf: Readonly<Record<AggregateFunction, string>> = {
  sum: 'TINYINT',
  product: 'DECIMAL(6,2)',
  max: 'INT',
  min: 'INT',
  last_value: 'INT',
  last_non_null_value: 'INT',
  first_value: 'INT',
  first_non_null_value: 'INT',
  listagg: 'STRING',
  bool_and: 'BOOLEAN',
  bool_or: 'BOOLEAN',
  collect: 'ARRAY<STRING>',
}

const valuesOf: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  INT: fc.integer({ min: 0, max: 3 }),
  TINYINT: fc.constantFrom(-1, 1, 2, 40, 90),
  'DECIMAL(6,2)': fc.constantFrom('2.00', '0.50', '1.10'),
  STRING: fc.constantFrom('x', 'y', 'x,z', ' '),
  BOOLEAN: fc.boolean(),
  'ARRAY<STRING>': fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
}

const sequenceColumns = (prefix: string): fc.Arbitrary<string[]> =>
  fc.constantFrom([`${prefix}1`], [`${prefix}1`, `${prefix}2`])

const deduplicateCase: fc.Arbitrary<MergeCase> = fc.option(sequenceColumns('s')).map((sequence) => ({
  ...caseOf('deduplicate', ['a', 'b'], 'INT', sequence ?? []),
  ...(sequence === null ? {} : { sequenceField: sequence }),
}))

const aggregationCase: fc.Arbitrary<MergeCase> = fc
  .record({
    functions: fc.uniqueArray(fc.constantFrom(...aggregateFunctions), { minLength: 1, maxLength: 4 }),
    sequence: fc.option(sequenceColumns('s')),
    removes: fc.boolean(),
    ignoring: fc.boolean(),
    distinct: fc.boolean(),
  })
  .map(({ functions, sequence, removes, ignoring, distinct }) => ({
    id: 'random',
    mergeEngine: 'aggregation',
    columns: [
      { name: 'k', type: 'INT NOT NULL' },
      ...functions.map((name) => ({ name: `c_${name}`, type: typeOf[name] })),
      ...(sequence ?? []).map((name) => ({ name, type: 'INT' })),
    ],
    primaryKey: ['k'],
    options: {
      ...(removes ? { 'aggregation.remove-record-on-delete': 'true' } : {}),
      ...(distinct ? { 'fields.c_collect.distinct': 'true', 'fields.c_listagg.distinct': 'true' } : {}),
    },
    aggregateFunctions: Object.fromEntries(functions.map((name) => [`c_${name}`, name])),
    ignoreRetract: functions.filter((name) => ignoring || !takesRetract.has(name)).map((name) => `c_${name}`),
    ...(sequence === null ? {} : { sequenceField: sequence }),
    steps: [],
  }))

const group = (prefix: string): fc.Arbitrary<RandomGroup> =>
  fc.record({
    prefix: fc.constant(prefix),
    sequence: sequenceColumns(`${prefix}s`),
    functions: fc.uniqueArray(fc.constantFrom(...aggregateFunctions), { maxLength: 3 }),
    removes: fc.boolean(),
    ignoring: fc.boolean(),
  })

interface RandomGroup {
  readonly prefix: string
  readonly sequence: string[]
  readonly functions: AggregateFunction[]
  readonly removes: boolean
  readonly ignoring: boolean
}

const groupsCase: fc.Arbitrary<MergeCase> = fc
  .record({
    groups: fc.oneof(fc.tuple(group('g')), fc.tuple(group('g'), group('h'))),
    sequence: fc.option(sequenceColumns('s'), { freq: 2 }),
    distinct: fc.boolean(),
  })
  .map(({ groups, sequence, distinct }) => {
    const named = groups.map((one) => ({
      ...one,
      columns: [`${one.prefix}_plain`, ...one.functions.map((name) => `${one.prefix}_${name}`)],
    }))
    const removing = groups.filter(({ removes }) => removes).map((one) => one.sequence[0])
    return {
      id: 'random',
      mergeEngine: 'partial-update',
      columns: [
        { name: 'k', type: 'INT NOT NULL' },
        ...named.flatMap(({ prefix, functions, sequence: fields }) => [
          { name: `${prefix}_plain`, type: 'INT' },
          ...functions.map((name) => ({ name: `${prefix}_${name}`, type: typeOf[name] })),
          ...fields.map((name) => ({ name, type: 'INT' })),
        ]),
        { name: 'u', type: 'INT' },
        ...(sequence ?? []).map((name) => ({ name, type: 'INT' })),
      ],
      primaryKey: ['k'],
      options: {
        ...(removing.length > 0 ? { 'partial-update.remove-record-on-sequence-group': removing.join(',') } : {}),
        ...(distinct ? { 'fields.g_collect.distinct': 'true' } : {}),
      },
      sequenceGroups: named.map(({ sequence: fields, columns }) => ({ sequence: fields, columns })),
      aggregateFunctions: Object.fromEntries(
        named.flatMap(({ prefix, functions }) => functions.map((name) => [`${prefix}_${name}`, name])),
      ),
      ignoreRetract: named.flatMap(({ prefix, functions, ignoring }) =>
        functions.filter((name) => ignoring || !takesRetract.has(name)).map((name) => `${prefix}_${name}`),
      ),
      ...(sequence === null ? {} : { sequenceField: sequence }),
      steps: [],
    }
  })

const partialUpdateCase: fc.Arbitrary<MergeCase> = fc
  .record({ sequence: fc.option(sequenceColumns('s')), removes: fc.boolean() })
  .map(({ sequence, removes }) => ({
    ...caseOf('partial-update', ['a', 'b'], 'INT', sequence ?? []),
    ...(sequence === null ? {} : { sequenceField: sequence }),
    ...(removes ? { options: { 'partial-update.remove-record-on-delete': 'true' } } : {}),
  }))

const firstRowCase: fc.Arbitrary<MergeCase> = fc.constant(caseOf('first-row', ['a', 'b'], 'INT', []))

function caseOf(
  mergeEngine: MergeCase['mergeEngine'],
  names: readonly string[],
  type: string,
  sequence: readonly string[],
): MergeCase {
  return {
    id: 'random',
    mergeEngine,
    columns: [
      { name: 'k', type: 'INT NOT NULL' },
      ...names.map((name) => ({ name, type })),
      ...sequence.map((name) => ({ name, type: 'INT' })),
    ],
    primaryKey: ['k'],
    steps: [],
  }
}

export interface RandomPlan {
  readonly mergeCase: MergeCase
  readonly plan: MergePlan
}

const variations = fc.record({
  deleteMode: fc.constantFrom('hard' as const, 'tombstone' as const, 'soft' as const),
  flag: fc.boolean(),
  descending: fc.boolean(),
  tie: fc.constantFrom('last-arrival' as const, 'first-arrival' as const),
  groupTie: fc.constantFrom('last-arrival' as const, 'last-arrival' as const, 'first-arrival' as const),
  nulls: fc.boolean(),
})

function plansOf(cases: fc.Arbitrary<MergeCase>): fc.Arbitrary<RandomPlan> {
  return fc.tuple(cases, variations).map(([mergeCase, { deleteMode, flag, descending, tie, groupTie, nulls }]) => {
    const compiled = compileCase(mergeCase)
    // soft deletes are for deduplicate, and only there does a plan without deletes have no use for the flag
    const mode = mergeCase.mergeEngine === 'deduplicate' || deleteMode !== 'soft' ? deleteMode : 'tombstone'
    const flagged =
      compiled.deletedFlag !== undefined && (mode !== 'hard' || (flag && compiled.engine !== 'deduplicate'))
    const plan: MergePlan = {
      ...compiled,
      columns: flagged || compiled.deletedFlag === undefined ? compiled.columns : compiled.columns.slice(0, -1),
      rules: (flagged || compiled.deletedFlag === undefined ? compiled.rules : compiled.rules.slice(0, -1)).map(
        (rule) => (rule.kind === 'overwrite' ? { ...rule, nulls } : rule),
      ),
      sequence: compiled.sequence && { ...compiled.sequence, descending, tie },
      groups: compiled.groups.map((one) => ({ ...one, tie: groupTie })),
      deletedFlag: flagged ? compiled.deletedFlag : undefined,
      deleteMode: compiled.engine === 'first-row' ? 'hard' : mode,
    }
    return { mergeCase, plan }
  })
}

export const randomPlans: Readonly<Record<string, fc.Arbitrary<RandomPlan>>> = {
  deduplicate: plansOf(deduplicateCase),
  'first-row': plansOf(firstRowCase),
  'partial-update without groups': plansOf(partialUpdateCase),
  'partial-update with groups': plansOf(groupsCase),
  aggregation: plansOf(aggregationCase),
}

/** Records of one key: every kind, columns absent or null as often as it takes to meet every rule. */
export function recordsOf({ mergeCase, plan }: RandomPlan, maxLength: number): fc.Arbitrary<LiftInput[]> {
  const values = mergeCase.columns.map(({ name, type }) =>
    name === 'k'
      ? fc.constant(1)
      : fc.oneof(
          { weight: 5, arbitrary: valuesOf[type] ?? fc.constant(null) },
          { weight: 1, arbitrary: fc.constant(null) },
          { weight: 1, arbitrary: fc.constant(undefined) },
        ),
  )
  const images = fc.constantFrom('full' as const, 'full' as const, 'partial' as const, 'key' as const)
  return fc.array(
    fc.tuple(fc.constantFrom<RowKind>(...rowKinds, '+U'), images, fc.tuple(...values)).map(([kind, image, given]) => {
      const row = readRow(
        plan,
        given.map((value, at) => imageValue(image, value, plan.key.includes(at))),
      )
      return { kind, row, key: keyOf(plan, row), image: imageOf(plan, row) }
    }),
    { maxLength },
  )
}

function imageValue(image: LiftInput['image'], value: unknown, isKey: boolean): unknown {
  if (image === 'full') return value === undefined ? null : value
  return image === 'key' && !isKey ? undefined : value
}

function imageOf(plan: MergePlan, row: Row): LiftInput['image'] {
  if (row.every((value) => value !== undefined)) return 'full'
  return row.every((value, at) => value === undefined || plan.key.includes(at)) ? 'key' : 'partial'
}
