import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import { namesAt, quotedList, type SequenceText, sequenceText } from './painless.ts'
import { isLiveText, removeText, requiredText, visibleText } from './tombstone.ts'

/** `apply` of `deduplicate` (src/merge/deduplicate.ts). */
export function deduplicateText(plan: MergePlan): string {
  const sequence = plan.sequence === undefined ? undefined : sequenceText(plan, plan.sequence)
  return [
    `boolean live = ${isLiveText(plan)};`,
    `if (params.op == 'upsert') {\n${upsertText(plan, sequence)}\nreturn;\n}`,
    `if (params.op == 'delete') {\n${deleteText(plan, sequence)}\n}`,
    retractText(plan, sequence),
  ].join('\n')
}

function upsertText(plan: MergePlan, sequence: SequenceText | undefined): string {
  const lines: string[] = []
  if (sequence !== undefined) {
    lines.push(`if (exists && !(${sequence.passes(sequence.compare('row', 'source'))})) { ctx.op = 'noop'; return; }`)
  }
  lines.push('if (!live || params.replace == true) { source.clear(); }', 'source.putAll(row);')
  lines.push(visibleText(plan), requiredText(plan))
  return lines.filter((line) => line !== '').join('\n')
}

function deleteText(plan: MergePlan, sequence: SequenceText | undefined): string {
  if (sequence === undefined) return removeText(plan, '')
  const fromRow = removeText(plan, keepSequence(sequence, 'row'))
  const fromStored = removeText(plan, keepSequence(sequence, 'stored'))
  return [
    'if (params.ungated == true) {',
    `if (!exists || ((${sequence.isSent('row')}) && ${sequence.compare('row', 'source')} > 0)) {\n${fromRow}\n}`,
    `${fromStored}\n}`,
    `if (exists && ${sequence.compare('row', 'source')} < 0) { ctx.op = 'noop'; return; }`,
    fromRow,
  ].join('\n')
}

function retractText(plan: MergePlan, sequence: SequenceText | undefined): string {
  const lines: string[] = []
  if (sequence !== undefined) {
    lines.push(
      `if (${sequence.isSent('row')}) {`,
      `int order = exists ? ${sequence.compare('row', 'source')} : 1;`,
      "if (order < 0) { ctx.op = 'noop'; return; }",
      `if (order > 0) {\n${removeText(plan, keepSequence(sequence, 'row'))}\n}`,
      '}',
    )
  }
  const payload = plan.rules
    .slice(0, plan.declaredCount)
    .flatMap(({ kind }, position) => (kind === 'replace' || kind === 'sequence' ? [position] : []))
  lines.push(
    'if (!live) { return; }',
    `for (String name : ${quotedList(namesAt(plan, payload))}) {`,
    "if (row.containsKey(name) && !same(row.get(name), source.get(name))) { ctx.op = 'noop'; return; }",
    '}',
    removeText(plan, sequence === undefined ? '' : keepSequence(sequence, 'stored')),
  )
  return lines.join('\n')
}

function keepSequence({ names }: SequenceText, from: 'row' | 'stored'): string {
  return `copyAll(source, ${quotedList(names)}, ${from}, ${quotedList(names)});`
}
