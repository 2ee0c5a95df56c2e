import fc from 'fast-check'
import { expect, test } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

test.each([
  ['WTIH', ['LIKE', 'WITH'], 'WITH'],
  ['with', ['LIKE', 'WITH'], 'WITH'],
  ['sink.max-retry', ['sink.max-retries', 'sink.retry.interval'], 'sink.max-retries'],
  ['sink.buffer.flush.maxrows', ['sink.buffer-flush.max-rows', 'sink.buffer.max-bytes'], 'sink.buffer-flush.max-rows'],
  ['postgrse', ['postgres', 'memory'], 'postgres'],
  ['conector', ['connector'], 'connector'],
])('%s: the nearest of %j is %s', (word, candidates, expected) => {
  expect(didYouMean(word, candidates)).toBe(expected)
})

test.each([
  ['b', ['BY']],
  ['of', ['on', 'or']],
  ['url', ['table-name']],
  ['sink.flush.interval', ['sink.retry.interval']],
  ['', ['a']],
  ['x', []],
])('%j is near to none of %j', (word, candidates) => {
  expect(didYouMean(word, candidates)).toBeUndefined()
})

test('one slip in a word of three letters or more is always seen', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 4, maxLength: 12 })
  fc.assert(
    fc.property(letters, fc.nat(), fc.constantFrom('lost', 'added', 'changed', 'swapped'), (word, at, slip) => {
      const index = at % (word.length - 1)
      const [before, after] = [word.slice(0, index), word.slice(index + 1)]
      const slipped = {
        lost: before + after,
        added: `${before}z${word.slice(index)}`,
        changed: `${before}z${after}`,
        swapped: `${before}${word[index + 1]}${word[index]}${word.slice(index + 2)}`,
      }[slip]
      expect(didYouMean(slipped, [word])).toBe(word)
    }),
  )
})
