import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DurablePositions } from './durable-positions.ts'

const at = (partition: string, offset: number) => ({ partition, offset })

test('R1 what arrived before the oldest pending record is durable, by partition', () => {
  const positions = new DurablePositions()
  positions.note(at('a', 10), 1)
  positions.note(at('b', 20), 2)
  positions.note(at('a', 11), 3)
  positions.advance(3)
  expect([...positions.current()]).toEqual([
    ['a', 10],
    ['b', 20],
  ])
  expect([...positions.at(9)]).toEqual([
    ['a', 11],
    ['b', 20],
  ])
  positions.advance(4)
  expect(positions.current().get('a')).toBe(11)
})

test('R1 a reader gets the newest position of each partition once, and ends with the sink', async () => {
  const positions = new DurablePositions()
  const seen: unknown[] = []
  const reading = (async () => {
    for await (const position of positions.read()) seen.push(position)
  })()
  positions.note(at('a', 1), 1)
  positions.note(at('a', 2), 2)
  positions.advance(3)
  await Promise.resolve()
  positions.note(at('a', 3), 3)
  positions.advance(4)
  positions.end()
  await reading
  expect(seen.at(-1)).toEqual(at('a', 3))
  expect(new Set(seen.map(String)).size).toBeLessThanOrEqual(seen.length)
})

test('R1 a forgotten partition is not reported any more', () => {
  const positions = new DurablePositions()
  positions.note(at('a', 1), 1)
  positions.forget('a')
  positions.advance(9)
  expect([...positions.current()]).toEqual([])
})

test('R1 however many records wait, the durable position is one that was noted, and never early', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (count, share) => {
      const positions = new DurablePositions()
      for (let arrival = 1; arrival <= count; arrival++) positions.note(at('', arrival), arrival)
      const bound = Math.floor(count * share)
      positions.advance(bound)
      const durable = positions.current().get('')
      if (durable !== undefined) expect(durable).toBeLessThan(bound)
      positions.advance(count + 1)
      expect(positions.current().get('')).toBe(count)
    }),
    { numRuns: 30 },
  )
})
