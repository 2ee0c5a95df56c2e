import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import { nameAt, namesAt, quoted, quotedList, sequenceText } from './painless.ts'
import { removeText } from './tombstone.ts'

/** What a `-D` does under `partial-update` and `aggregation` (src/merge/row-removal*.ts); it falls through if the `-D` is a mere retract. */
export function removalText(plan: MergePlan): string {
  if (plan.groups.some(({ removesRecord }) => removesRecord)) return removalByGroup(plan)
  return plan.removeRecordOnDelete && plan.sequence !== undefined ? removalBySequence(plan) : removeText(plan, '')
}

/** Condition: an added record makes the stored row, which is not visible, visible again. */
export function revivesText(plan: MergePlan): string {
  const owners = plan.groups.filter(({ removesRecord }) => removesRecord)
  if (owners.length > 0) {
    return owners
      .map((owner) => sequenceText(plan, owner))
      .map((order) => `(!(${order.isSent('row')}) || ${order.passes(order.compare('row', 'source'))})`)
      .join(' && ')
  }
  if (!plan.removeRecordOnDelete || plan.sequence === undefined) return 'adds'
  const order = sequenceText(plan, plan.sequence)
  return order.passes(order.compare('row', 'source'))
}

function removalByGroup(plan: MergePlan): string {
  const touched = plan.groups
    .filter(({ removesRecord }) => removesRecord)
    .map((owner) => sequenceText(plan, owner))
    .map((order) => `((${order.isSent('row')}) && ${order.compare('row', 'source')} >= 0)`)
  const keep = plan.groups.map((group) => {
    const order = sequenceText(plan, group)
    const names = quotedList(order.names)
    return `copyAll(source, ${names}, !exists || ${order.compare('row', 'stored')} > 0 ? row : stored, ${names});`
  })
  if (plan.sequence !== undefined) {
    const names = quotedList(namesAt(plan, plan.sequence.columns))
    keep.push(`if (exists) { copyAll(source, ${names}, stored, ${names}); }`)
  }
  return `if (${touched.join(' || ')}) {\n${removeText(plan, keep.join('\n'))}\n}`
}

function removalBySequence(plan: MergePlan): string {
  const order = sequenceText(plan, plan.sequence as NonNullable<MergePlan['sequence']>)
  const names = quotedList(order.names)
  const owned = plan.rules.flatMap((rule, position) =>
    rule.kind === 'aggregate' && rule.function === 'last_non_null_value' && rule.order === 'row-sequence'
      ? [{ name: nameAt(plan, position), own: namesAt(plan, rule.ownSequence) }]
      : [],
  )
  const leave = (from: 'row' | 'stored'): string =>
    [
      `copyAll(source, ${names}, ${from}, ${names});`,
      ...owned.map(({ own }) => `copyAll(source, ${quotedList(own)}, ${from}, ${names});`),
    ].join('\n')
  const clear = owned.map(
    ({ name, own }) =>
      `if (${order.compare('source', 'row', own)} <= 0) { source.put(${quoted(name)}, null); copyAll(source, ${quotedList(own)}, row, ${names}); }`,
  )
  return [
    `if (params.ungated == true) {\n${removeText(plan, leave('stored'))}\n}`,
    `if (exists && ${order.compare('row', 'source')} < 0) {`,
    'Map before = new HashMap(source);',
    ...clear,
    "if (sameRow(before, source)) { ctx.op = 'noop'; }",
    'return;',
    '}',
    removeText(plan, leave('row')),
  ].join('\n')
}
