import { expect, test } from 'vitest'
import type { ChangelogElement } from '../changelog/element.ts'
import type { StreamDecoderOptions } from '../format/stream-decoder.ts'
import { LineDecoder } from './line-decoder.ts'

interface Decoded {
  readonly places: readonly string[]
  readonly decoder: LineDecoder
}

/** Kind, table row id, and position of each change, `-` for none. */
function decode(
  lines: readonly unknown[],
  options: StreamDecoderOptions = {},
  written: ReadonlyMap<string, number> = new Map(),
): Decoded {
  const decoder = new LineDecoder({ identity: 'in', ...options })
  decoder.resumeAfter(written)
  const places: string[] = []
  const emit = (element: ChangelogElement): void => {
    const what = element.type === undefined || element.type === 'change' ? element.kind : element.type
    const { position } = element
    places.push(`${what} ${position === undefined ? '-' : `${position.partition}:${String(position.offset)}`}`)
  }
  for (const [index, line] of lines.entries()) {
    decoder.decode({ value: JSON.stringify(line), record: index + 1, offset: index + 1 }, emit)
  }
  decoder.end(emit)
  return { places, decoder }
}

const op = (kind: string, id: number) => ({ op: kind, data: { id } })

test('a position is the line in the file, and a -U that waits for the next line keeps its own', () => {
  const { places } = decode([op('+I', 1), op('-U', 1), op('+U', 1), op('-U', 2)])
  expect(places).toEqual(['+I in:1', '-U in:2', '+U in:3', '-U in:4'])
})

test('each partition of the source keeps a line of its own, so that a delete that waits holds back no other', () => {
  const at = (partition: number, offset: number, value: unknown) => ({ partition, offset, key: null, value })
  const deleted = at(0, 7, { before: { id: 1 }, after: null, op: 'd' })
  const created = (partition: number, id: number) => at(partition, id, { before: null, after: { id }, op: 'c' })
  const { places } = decode([deleted, created(1, 5), created(0, 1)], { primaryKey: ['id'] })
  expect(places).toEqual(['+I in/1:2', '-U in/0:1', '+U in/0:3'])
})

test('rows that were held until their timestamp closed have no line of their own; the end of their group has', () => {
  const row = (time: number, progressed: boolean, id: number | null, diff: number | null) => ({
    mz_timestamp: time,
    mz_progressed: progressed,
    mz_diff: diff,
    id,
  })
  const lines = [row(1, false, 1, 1), row(1, false, 2, 1), row(2, false, 3, 1), row(3, true, null, null)]
  const { places } = decode(lines)
  // line 3 closes timestamp 1 and waits itself; line 4 closes timestamp 2
  expect(places).toEqual(['+I -', '+I -', 'group-end in:2', '+I -', 'group-end in:3', 'watermark in:4'])
})

test('R1 what an earlier run has written is decoded and passed over', () => {
  const { places, decoder } = decode([op('+I', 1), op('+I', 2), op('+I', 3)], {}, new Map([['in', 2]]))
  expect(places).toEqual(['+I in:3'])
  expect(decoder.skippedCount).toBe(2)
})

test('lines behind are counted from the oldest that is not durable', () => {
  const { decoder } = decode([op('+I', 1), op('+I', 2), op('+I', 3)])
  expect(decoder.linesBehind(new Map())).toBe(3)
  expect(decoder.linesBehind(new Map([['in', 2]]))).toBe(1)
  expect(decoder.linesBehind(new Map([['in', 3]]))).toBe(0)
})
