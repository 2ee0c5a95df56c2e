import { expect, test } from 'vitest'
import type { Change, ChangelogElement } from './element.ts'
import { UpdateEncoding } from './update-encoding.ts'

const keyOf = ({ row }: Change): unknown => row['id']

function change(kind: Change['kind'], id: number, partition = ''): Change {
  return { kind, row: { id }, position: { partition, offset: id } }
}

function encoded(encoding: 'auto' | 'update' | 'delete-create', elements: readonly ChangelogElement[]): string[] {
  const stage = new UpdateEncoding(encoding, keyOf)
  const out: string[] = []
  const emit = (element: ChangelogElement): void => {
    out.push(element.type === undefined ? `${(element as Change).kind}${String((element as Change).row['id'])}` : '#')
  }
  for (const element of elements) stage.push(element, emit)
  stage.release(emit)
  return out
}

test('K6 a delete and the create of its key become the halves of an update', () => {
  expect(encoded('auto', [change('+I', 1), change('-D', 1), change('+I', 1)])).toEqual(['+I1', '-U1', '+U1'])
})

test('auto lets deletes be deletes once the input has shown an update operation', () => {
  const input = [change('-U', 2), change('+U', 2), change('-D', 1), change('+I', 1)]
  expect(encoded('auto', input)).toEqual(['-U2', '+U2', '-D1', '+I1'])
  expect(encoded('delete-create', input)).toEqual(['-U2', '+U2', '-U1', '+U1'])
  expect(encoded('update', [change('-D', 1), change('+I', 1)])).toEqual(['-D1', '+I1'])
})

test('a delete waits only for the next change of its partition', () => {
  expect(encoded('auto', [change('-D', 1, 'a'), change('+I', 2, 'b'), change('+I', 1, 'a')])).toEqual([
    '+I2',
    '-U1',
    '+U1',
  ])
  expect(encoded('auto', [change('-D', 1, 'a'), change('+I', 2, 'a'), change('+I', 1, 'a')])).toEqual([
    '-D1',
    '+I2',
    '+I1',
  ])
})

test('R1 the position of another table does not overtake a delete that waits', () => {
  const otherTable = { ...change('+I', 2), table: 'other' }
  expect(encoded('delete-create', [change('-D', 1), otherTable, change('+I', 1)])).toEqual(['-D1', '+I2', '+I1'])
})

test('no mark overtakes a delete that waits', () => {
  expect(encoded('auto', [change('-D', 1), { type: 'group-end' }, change('+I', 1)])).toEqual(['-D1', '#', '+I1'])
})
