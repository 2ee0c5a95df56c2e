import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { InputRecord } from './format.ts'
import { LineSplitter } from './line-splitter.ts'

/** Cuts the bytes at the given places and returns what the splitter makes of the pieces. */
function split(bytes: Buffer, cuts: readonly number[] = [], lineMax?: number): InputRecord[] {
  const splitter = new LineSplitter(lineMax)
  const records: InputRecord[] = []
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  for (const [index, to] of places.slice(1).entries()) {
    splitter.push(bytes.subarray(places[index], to), (record) => records.push(record))
  }
  splitter.end((record) => records.push(record))
  return records
}

const text = (record: InputRecord) =>
  record.value instanceof Uint8Array ? Buffer.from(record.value).toString() : record.value

test('the same records come out wherever the chunks end', () => {
  const anyText = fc
    .array(fc.constantFrom('a', 'é', '\n', '\r\n', '\r', ' ', '{}'), { maxLength: 40 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(anyText, fc.array(fc.nat()), fc.boolean(), (content, cuts, hasMark) => {
      const bytes = Buffer.from((hasMark ? '\ufeff' : '') + content)
      const expected = content.split('\n').map((line) => line.replace(/\r$/, ''))
      const records = split(bytes, cuts)
      expect(records.map((record) => [record.record, text(record)])).toEqual(
        expected.flatMap((line, index) => (/^[ \t]*$/.test(line) ? [] : [[index + 1, line]])),
      )
    }),
  )
})

test('blank lines count, so that numbers are those of an editor', () => {
  expect(split(Buffer.from('\ufeff\r\n{}\r\n\n{}')).map(({ record, offset }) => [record, offset])).toEqual([
    [2, 2],
    [4, 4],
  ])
})

test('a line that is too long is reported and not kept, and the next one is read', () => {
  const records = split(Buffer.from(`${'x'.repeat(100)}\nok\n${'y'.repeat(11)}`), [30, 60, 90], 10)
  expect(records.map(({ record, fault }) => [record, fault])).toEqual([
    [1, 'is longer than 10 bytes'],
    [2, undefined],
    [3, 'is longer than 10 bytes'],
  ])
})
