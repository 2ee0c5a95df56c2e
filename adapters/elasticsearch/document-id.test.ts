import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDocumentId, idFault } from './document-id.ts'

const text = { name: 'VARCHAR', length: undefined } as const
const two = [
  { position: 0, type: text },
  { position: 1, type: text },
]

test('C1 different keys of two columns have different ids, whatever is in them', () => {
  const id = createDocumentId(two, undefined)
  const part = fc.string({ unit: fc.constantFrom(',', '\\', 'a', '%', '_') })
  fc.assert(
    fc.property(fc.tuple(part, part), fc.tuple(part, part), (a, b) => {
      expect(id([...a]) === id([...b])).toBe(a[0] === b[0] && a[1] === b[1])
    }),
  )
})

test('C1 a key of one column is its text, and an empty one has an id too', () => {
  const id = createDocumentId([{ position: 0, type: text }], undefined)
  expect(['a', '', '%', '%%', 'a,b\\c', '_x'].map((value) => id([value]))).toEqual([
    'a',
    '%',
    '%%',
    '%%%',
    'a,b\\c',
    '_x',
  ])
})

test('C1 with a delimiter of the user, keys can collide as they do in Flink', () => {
  const id = createDocumentId(two, '_')
  expect(id(['a_b', 'c'])).toBe(id(['a', 'b_c']))
})

test('R3 an id that would fail its whole request is told in advance', () => {
  expect(idFault('x'.repeat(512))).toBeUndefined()
  expect(idFault('é'.repeat(257))).toBe('the key makes an id of more than 512 bytes')
  expect(idFault('\ud800')).toBe('the key holds half of a surrogate pair')
})
