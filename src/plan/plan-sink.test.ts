import { expect, test } from 'vitest'
import { filesystem } from '../../adapters/filesystem/index.ts'
import { memory } from '../../adapters/memory/index.ts'
import type { Capabilities } from '../connector/capabilities.ts'
import type { Connector } from '../connector/connector.ts'
import { parseScript } from '../ddl/parse-script.ts'
import { TidegateError } from '../errors.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { sharedOptions } from '../options/shared-options.ts'
import type { TablePlan } from './plan.ts'
import type { SourceInput } from './plan-input.ts'
import { planSink } from './plan-sink.ts'
import type { SharedValues } from './shared-values.ts'

const columns =
  'id BIGINT, a STRING, b INT, total DECIMAL(10, 2), tags ARRAY<STRING>, ok BOOLEAN, s1 BIGINT, s2 TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED'

/** A store that outlives the process, with everything else that memory can do. */
const lasting = storeThatCan({})

function storeThatCan(narrowed: Partial<Capabilities>): Connector {
  const capabilities: Capabilities = { ...memory.capabilities(), volatile: false, ...narrowed }
  return { ...memory, name: 'lasting', capabilities: () => capabilities }
}

function planOf(options: string, source: SourceInput = {}, connector = lasting, body = columns): TablePlan {
  const [definition] = parseScript(`CREATE TABLE t (${body}) WITH ('connector' = 'x'${options})`).tables
  if (definition === undefined) throw new Error('no table')
  const { values, effective, notes } = resolveOptions({ ...sharedOptions, ...connector.options }, definition.options)
  const input = {
    definition,
    options: values as unknown as SharedValues,
    connectorOptions: values,
    effectiveOptions: effective,
    notes,
  }
  return planSink(connector, [input], source).tables[0] as TablePlan
}

function refusal(options: string, source: SourceInput = {}, connector = lasting, body = columns): TidegateError {
  try {
    planOf(options, source, connector, body)
  } catch (error) {
    if (error instanceof TidegateError) return error
    throw error
  }
  throw new Error(`the plan with ${options} was not refused`)
}

const group = ", 'merge-engine' = 'partial-update', 'fields.s1.sequence-group' = 'a,b'"
const sum = ", 'merge-engine' = 'aggregation', 'fields.total.aggregate-function' = 'sum'"

test('K2 update-before goes by merge rule', () => {
  expect(planOf('').updateBefore).toBe('drop-paired')
  expect(planOf(", 'sink.ignore.update-before' = 'true'").updateBefore).toBe('drop')
  expect(planOf(", 'sink.ignore.update-before' = 'false'").updateBefore).toBe('delete')
  expect(planOf(group).updateBefore).toBe('retract')
  expect(planOf(`${sum}, 'sink.accept-duplicates' = 'true'`).updateBefore).toBe('retract')
  expect(planOf(", 'merge-engine' = 'first-row'").updateBefore).toBe('ignore-paired')
  expect(planOf(", 'merge-engine' = 'partial-update'").updateBefore).toBe('ignore-paired')
})

test('K3 an update stream into a sink that takes only inserts is refused, naming the kinds', () => {
  const error = refusal(", 'path' = 'x'", { mode: 'upsert' }, filesystem)
  expect(error.code).toBe('PLAN_REFUSED')
  expect(error.message).toMatch(/takes only inserts.*\+U -D/s)
})

test('K4 without a primary key only insert-only input is taken', () => {
  const error = refusal(", 'sink.accept-duplicates' = 'true'", { mode: 'retract' }, lasting, 'id INT')
  expect(error.message).toMatch(/PRIMARY KEY.*K4/s)
  planOf(", 'sink.accept-duplicates' = 'true'", { mode: 'insert-only' }, lasting, 'id INT')
})

test('K7 the mode comes from the option, else from the format, else it is unknown with a warning', () => {
  expect(planOf('').source.mode).toBe('unknown')
  expect(planOf('').warnings.join()).toMatch(/K7/)
  expect(planOf('', { mode: 'retract' }).source.mode).toBe('retract')
  expect(planOf(", 'source.changelog-mode' = 'upsert'", { mode: 'retract' }).source.mode).toBe('upsert')
})

test('G2 the delete mode follows from the sequence, and hard deletes with one are refused', () => {
  expect(planOf('').merge.deleteMode).toBe('hard')
  expect(planOf('').merge.deletedFlag).toBeUndefined()
  const { merge } = planOf(", 'sequence.field' = 's1'")
  expect(merge.deleteMode).toBe('tombstone')
  expect(merge.columns[merge.deletedFlag ?? -1]?.name).toBe('__tidegate_deleted')
  expect(refusal(", 'sequence.field' = 's1', 'sink.delete.mode' = 'hard'").message).toMatch(/G2/)
  const accepted = planOf(", 'sequence.field' = 's1', 'sink.delete.mode' = 'hard', 'sink.tombstone.retention' = '0'")
  expect(accepted.merge.deleteMode).toBe('hard')
  expect(accepted.warnings.join()).toMatch(/G2/)
})

test('G2 a record that is removed under a sequence leaves a tombstone, and is never removed softly', () => {
  const removing =
    ", 'merge-engine' = 'aggregation', 'sequence.field' = 's1', 'aggregation.remove-record-on-delete' = 'true'"
  expect(planOf(removing).merge.deleteMode).toBe('tombstone')
  expect(planOf(removing.replace("'sequence.field' = 's1', ", '')).merge.deleteMode).toBe('hard')
  expect(refusal(`${removing}, 'sink.delete.mode' = 'soft'`).message).toMatch(/soft deletes keep/)
  expect(refusal(", 'sequence.field' = 's1'", {}, storeThatCan({ deleteModes: ['hard'] })).code).toBe(
    'CAPABILITY_MISSING',
  )
})

test('G2 the flag column can be one of the table, if it is BOOLEAN', () => {
  const { merge } = planOf(", 'sink.delete.mode' = 'soft', 'sink.delete.column' = 'ok'")
  expect(merge.deletedFlag).toBe(5)
  expect(merge.rules[5]).toEqual({ kind: 'deleted-flag' })
  expect(merge.columns).toHaveLength(8)
  expect(refusal(", 'sink.delete.mode' = 'soft', 'sink.delete.column' = 'a'").message).toMatch(/BOOLEAN/)
})

test('G3 groups compile to their columns, and faults in them are all found', () => {
  const { merge } = planOf(
    ", 'merge-engine' = 'partial-update', 'fields.s1,s2.sequence-group' = 'a,total', 'fields.total.aggregate-function' = 'max'",
  )
  expect(merge.groups).toEqual([
    { columns: [6, 7], descending: false, tie: 'last-arrival', plain: [1], aggregated: [3], removesRecord: false },
  ])
  const error = refusal(
    ", 'merge-engine' = 'partial-update', 'fields.s1.sequence-group' = 'a,nowhere,id', 'fields.s2.sequence-group' = 'a', 'fields.b.aggregate-function' = 'max'",
  )
  expect(error.problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/nowhere, which is no written column/),
    expect.stringMatching(/id, which is in the primary key/),
    expect.stringMatching(/claims a/),
    expect.stringMatching(/b is outside every sequence group/),
  ])
})

test('G4 G7 what the store cannot compare is refused as a missing capability', () => {
  const single = storeThatCan({ sequence: { gate: true, compound: false, descending: false } })
  expect(refusal(", 'sequence.field' = 's1,s2'", {}, single).code).toBe('CAPABILITY_MISSING')
  expect(refusal(", 'sequence.field' = 's1', 'sequence.field.sort-order' = 'descending'", {}, single).code).toBe(
    'CAPABILITY_MISSING',
  )
  const coarse: Connector = {
    ...lasting,
    typeMapping: { ...lasting.typeMapping, sequenceFault: () => 'its clock is too coarse' },
  }
  expect(refusal(", 'sequence.field' = 's2'", {}, coarse).message).toMatch(/too coarse \(G7\)/)
  expect(refusal(", 'sequence.field' = 'tags'").message).toMatch(/no order/)
  expect(refusal(", 'sequence.field' = 'ghost'").message).toMatch(/no written column/)
})

test('G5 under a sequence that orders, columns that depend on order keep their own', () => {
  const { merge } = planOf(", 'merge-engine' = 'partial-update', 'sequence.field' = 's1'")
  expect(merge.sequence).toMatchObject({ columns: [6], gates: false })
  expect(merge.rules[1]).toMatchObject({ kind: 'aggregate', function: 'last_non_null_value', order: 'row-sequence' })
  const own = merge.columns.findIndex(({ name }) => name === '__tidegate_sequence_a')
  expect(merge.rules[own]).toEqual({ kind: 'own-sequence', of: 1, field: 0 })
  expect(
    refusal(
      ", 'merge-engine' = 'aggregation', 'sequence.field' = 's1', 'fields.a.aggregate-function' = 'listagg', 'sink.accept-duplicates' = 'true'",
    ).message,
  ).toMatch(/G5/)
})

test('A1 a function needs a fitting column', () => {
  const wrong = (column: string, fn: string) =>
    refusal(
      `, 'merge-engine' = 'aggregation', 'sink.accept-duplicates' = 'true', 'fields.${column}.aggregate-function' = '${fn}'`,
    ).message
  expect(wrong('a', 'sum')).toMatch(/numeric/)
  expect(wrong('tags', 'max')).toMatch(/order/)
  expect(wrong('a', 'bool_or')).toMatch(/BOOLEAN/)
  expect(wrong('b', 'listagg')).toMatch(/STRING/)
  expect(wrong('b', 'collect')).toMatch(/ARRAY/)
})

test('A2 a known retraction that a function cannot take is refused, unless it is ignored', () => {
  const max = ", 'merge-engine' = 'aggregation', 'fields.b.aggregate-function' = 'max'"
  expect(refusal(max, { mode: 'retract' }).message).toMatch(/max cannot take back.*A2.*fields\.b\.ignore-retract/s)
  planOf(max, { mode: 'unknown' })
  planOf(`${max}, 'fields.b.ignore-retract' = 'true'`, { mode: 'retract' })
  planOf(`${max}, 'ignore-delete' = 'true'`, { mode: 'retract' })
  expect(refusal(", 'merge-engine' = 'first-row'", { mode: 'upsert' }).message).toMatch(/first-row.*A2/s)
  expect(refusal(", 'merge-engine' = 'partial-update'", { mode: 'upsert' }).message).toMatch(/remove-record-on-delete/)
})

test('A3 what counts twice needs exactly-once, or to be accepted', () => {
  expect(refusal(sum).message).toMatch(/sum counts a change twice.*A3/s)
  const accepted = planOf(`${sum}, 'sink.accept-duplicates' = 'true'`)
  expect(accepted.promises.join()).toMatch(/counts again: accepted/)
  expect(planOf(group).promises.join()).toContain('delivered again changes nothing: the table converges')
  const removing = planOf(`${group}, 'partial-update.remove-record-on-sequence-group' = 's1'`)
  expect(removing.promises.join()).toContain('where another group has removed its record since')
  planOf(`${sum}, 'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 's'`)
  planOf(sum, {}, memory)
  expect(refusal('', {}, lasting, 'id INT').message).toMatch(/written twice \(A3\)/)
})

test('A4 input that may retract into a group or a function brings the flag column', () => {
  expect(planOf(group).merge.deletedFlag).toBeDefined()
  expect(planOf(group, { mode: 'insert-only' }).merge.deletedFlag).toBeUndefined()
  expect(planOf(`${group}, 'ignore-delete' = 'true'`, { mode: 'retract' }).merge.deletedFlag).toBeUndefined()
})

test('B2 alignment needs a store with transactions and a format that tells where a group ends', () => {
  const align = ", 'sink.flush.align' = 'group'"
  planOf(align, { format: 'pgoutput', groupEnd: 'marker' })
  expect(refusal(align, { format: 'upsert-kafka', groupEnd: 'none' }).message).toMatch(/B2/)
  expect(refusal(align, {}, storeThatCan({ transaction: false })).code).toBe('CAPABILITY_MISSING')
})

test('O2 an upsert key that is not the primary key is refused until a policy is named', () => {
  expect(refusal(", 'sink.upsert-key' = 'id,a'").message).toMatch(/sink\.on-conflict.*deduplicate/s)
  expect(refusal(", 'sink.upsert-key' = 'none'").message).toMatch(/has no upsert key/)
  planOf(", 'sink.upsert-key' = 'id'")
  expect(planOf('').warnings.join()).toMatch(/O2/)
})

test('O1 a policy that needs the materializer is refused by name', () => {
  expect(refusal(", 'sink.upsert-key' = 'a', 'sink.on-conflict' = 'deduplicate'").message).toMatch(/materializer/)
  planOf(", 'sink.on-conflict' = 'deduplicate'")
})

test('O2 rows are matched whole where no key is unique, which excludes what needs another order', () => {
  const whole = ", 'sink.upsert-key' = 'none', 'sink.on-conflict' = 'deduplicate'"
  const plan = planOf(whole)
  expect(plan.steps.map(({ name }) => name)).toContain('materialize')
  expect(plan.warnings.join()).toMatch(/from the start/)
  const error = refusal(
    `${whole}, 'sequence.field' = 's1', 'sink.ignore.delete' = 'true', 'sink.ignore.update-before' = 'true', 'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 'x'`,
  )
  const subjects = ['sequence.field', 'sink.ignore.update-before', 'sink.ignore.delete', 'sink.delivery-guarantee']
  expect(error.problems?.map(({ subject }) => subject)).toEqual(subjects)
  expect(refusal(`${whole}${sum}, 'sink.accept-duplicates' = 'true'`).message).toMatch(/merge-engine.*O2/s)
})

test('R5 exactly-once needs a name, and a store that can keep the position', () => {
  const exactly = ", 'sink.delivery-guarantee' = 'exactly-once'"
  expect(refusal(exactly).message).toMatch(/sink\.id.*R5/s)
  expect(refusal(`${exactly}, 'sink.id' = 's'`, {}, storeThatCan({ exactlyOnce: false })).code).toBe(
    'CAPABILITY_MISSING',
  )
  expect(refusal(", 'sink.id' = 's'").message).toMatch(/no effect/)
})

test('options without an effect under the chosen engine are faults, not silence', () => {
  const error = refusal(", 'fields.a.aggregate-function' = 'max', 'sequence.tie' = 'first-arrival'")
  expect(error.problems.map(({ subject }) => subject)).toEqual(['fields.a.aggregate-function', 'sequence.tie'])
  const nulls = ", 'merge-engine' = 'partial-update', 'partial-update.null-overwrites' = 'true'"
  planOf(nulls)
  expect(refusal(`${nulls}, 'sequence.field' = 's1'`).problems[0]?.subject).toBe('partial-update.null-overwrites')
})

test('what a connector itself does not allow is refused with the rest of the plan', () => {
  const picky: Connector = {
    ...lasting,
    planProblems: ({ schema }) => (schema.primaryKey.length > 0 ? [] : [{ subject: 'key', message: 'is needed' }]),
  }
  expect(planOf('', {}, picky).name).toBe('t')
  const error = refusal(", 'sequence.field' = 'nowhere'", {}, picky, 'a STRING')
  expect(error.problems.map(({ subject }) => subject)).toEqual(expect.arrayContaining(['sequence.field', 'key']))
})

test('each step shows its row kinds in and out', () => {
  const steps = planOf('', { mode: 'retract', format: 'debezium-json' }).steps
  expect(steps.map(({ name, in: taken, out }) => [name, taken.join(' '), out.join(' ')])).toEqual([
    ['decode', '+I -U +U -D', '+I -U +U -D'],
    ['pair', '+I -U +U -D', '+I -U +U -D'],
    ['fold', '+I -U +U -D', '+I +U -D'],
    ['merge', '+I +U -D', '+I +U -D'],
  ])
})
