import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redelivered, retractStream } from './changelog-arbitrary.ts'
import { formatChangelog, parseChangelog } from './changelog-text.ts'
import { declaredTable, tableDdl } from './conformance-table.ts'

const table = declaredTable(
  tableDdl('t', 'id BIGINT, a STRING, b DECIMAL(8, 2), c ARRAY<STRING>, d BYTES, PRIMARY KEY (id) NOT ENFORCED', {}),
)

test('values are read by the types of their columns; what is not said is absent', () => {
  expect(parseChangelog(table.schema, "+I 1 'it''s' 1.5 [a,null,'b c'] 0x00ff | -U 1 ~ null | -D 1")).toEqual([
    { kind: '+I', row: { id: 1n, a: "it's", b: '1.50', c: ['a', null, 'b c'], d: Uint8Array.of(0, 255) } },
    { kind: '-U', row: { id: 1n, b: null } },
    { kind: '-D', row: { id: 1n } },
  ])
})

test('notes and control elements are read', () => {
  const text = '-U 1 #pair=3 #group=tx7 #at=12 | group-end tx7 | truncate | watermark 5'
  expect(parseChangelog(table.schema, text)).toEqual([
    { kind: '-U', row: { id: 1n }, pair: 3, group: 'tx7', position: { partition: '', offset: 12 } },
    { type: 'group-end', group: 'tx7' },
    { type: 'truncate' },
    { type: 'watermark', timestamp: 5 },
  ])
  expect(formatChangelog(table.schema, parseChangelog(table.schema, text))).toBe(text)
})

test('a text that is no changelog is an error', () => {
  expect(() => parseChangelog(table.schema, 'I 1 a')).toThrow('a change begins with +I, -U, +U or -D, not with I')
  expect(() => parseChangelog(table.schema, '+I 1 a 2 [] 0x 6')).toThrow('more values than columns')
})

test('any changelog is read back from its text', () => {
  fc.assert(
    fc.property(redelivered(retractStream(table, { patches: true, keyChanges: true })), (changes) => {
      expect(parseChangelog(table.schema, formatChangelog(table.schema, changes))).toEqual(changes)
    }),
  )
})
