import { expect, test } from 'vitest'
import type { Change, ChangelogElement } from './element.ts'
import { NextIdGroups } from './next-id-groups.ts'

function change(group: string | undefined, partition = ''): Change {
  return { kind: '+I', row: {}, group, position: { partition, offset: 0 } }
}

function ended(elements: readonly ChangelogElement[]): string[] {
  const groups = new NextIdGroups()
  const out: string[] = []
  const emit = (element: ChangelogElement): void => {
    out.push(element.type === 'group-end' ? `end ${element.group}` : ((element as Change).group ?? '-'))
  }
  for (const element of elements) groups.push(element, emit)
  groups.end(emit)
  return out
}

test('B2 a group is over when a change of another one, or of none, comes', () => {
  expect(ended([change('a'), change('a'), change('b'), change(undefined)])).toEqual([
    'a',
    'a',
    'end a',
    'b',
    'end b',
    '-',
  ])
})

test('B2 the end of the input ends the last group', () => {
  expect(ended([change('a')])).toEqual(['a', 'end a'])
})

test('B2 a partition does not end the groups of another', () => {
  expect(ended([change('a', '0'), change('b', '1'), change('a', '0')])).toEqual(['a', 'b', 'a', 'end a', 'end b'])
})

test('B2 an end that the producer marks is not repeated', () => {
  expect(ended([change('a'), { type: 'group-end', group: 'a' }, change('b')])).toEqual(['a', 'end a', 'b', 'end b'])
})
