import type { AggregateRule, MergePlan, Sequence } from '../../../src/merge/merge-plan.ts'
import { aggregateText } from './aggregate.ts'
import { namesAt, quotedList, type SequenceText, sequenceText } from './painless.ts'
import { removalText, revivesText } from './row-removal.ts'
import { invisibleText, isLiveText, requiredText, visibleText } from './tombstone.ts'

/** `apply` of `partial-update` and `aggregation` (src/merge/columnwise.ts). */
export function columnwiseText(plan: MergePlan): string {
  return [
    `boolean hidden = !(${isLiveText(plan)});`,
    "boolean adds = params.op == 'upsert';",
    `if (params.op == 'delete') {\n${removalText(plan)}\n}`,
    `boolean visible = adds ? !exists || !hidden || params.replace == true || (${revivesText(plan)}) : !hidden && params.replace != true;`,
    'boolean isNew = !exists || params.replace == true;',
    'boolean fresh = hidden || params.replace == true;',
    'Map before = new HashMap(source);',
    `if (isNew) { source.clear(); copySent(source, row, ${quotedList(namesAt(plan, plan.key))}); }`,
    'boolean late = false;',
    ...groupsOf(plan).map((group, index) => groupText(plan, group, `inOrder${index}`)),
    ...branch('visible', [visibleText(plan), requiredText(plan)]),
    ...branch('!visible', [invisibleText(plan)]),
    "if (late && exists && sameRow(before, source)) { ctx.op = 'noop'; }",
  ].join('\n')
}

/** Painless takes no empty branches. */
function branch(condition: string, lines: readonly string[]): readonly string[] {
  const text = lines.filter((line) => line !== '').join('\n')
  return text === '' ? [] : [`if (${condition}) {\n${text}\n}`]
}

/** Columns that share one order (src/merge/column-group.ts). */
interface ColumnGroup {
  readonly sequence: Sequence | undefined
  readonly replaced: readonly number[]
  readonly aggregated: readonly number[]
}

function groupsOf(plan: MergePlan): readonly ColumnGroup[] {
  const positions = (test: (rule: MergePlan['rules'][number]) => boolean): readonly number[] =>
    plan.rules.flatMap((rule, position) => (test(rule) ? [position] : []))
  const groups = plan.groups.map((group) => ({
    sequence: group,
    replaced: group.plain,
    aggregated: group.aggregated,
  }))
  const ungrouped = {
    sequence: plan.sequence,
    replaced: positions((rule) => rule.kind === 'overwrite'),
    aggregated: positions((rule) => rule.kind === 'aggregate' && rule.group === undefined),
  }
  return [...groups, ungrouped]
}

/** Aggregates come first: they look at the stored sequence beside them, never at the one of the group. */
function groupText(plan: MergePlan, { sequence, replaced, aggregated }: ColumnGroup, inOrder: string): string {
  const order = sequence === undefined ? undefined : sequenceText(plan, sequence)
  const written = [...(sequence?.columns ?? []), ...replaced]
  const lines = aggregated.map((position) =>
    aggregateText(plan, position, plan.rules[position] as AggregateRule, order && { ...order, inOrder }),
  )
  if (written.length > 0) {
    const copy = `copySent(source, row, ${quotedList(namesAt(plan, written))});`
    lines.push(order === undefined ? copy : `if (${inOrder}) { ${copy} }`)
  }
  if (order === undefined) return lines.join('\n')
  return [`boolean ${inOrder} = ${inOrderText(order)};`, `late = late || !${inOrder};`, ...lines].join('\n')
}

function inOrderText(order: SequenceText): string {
  return `isNew || !(${order.isSent('row')}) || ${order.passes(order.compare('row', 'source'))}`
}
