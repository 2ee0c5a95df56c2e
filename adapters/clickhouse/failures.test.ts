import { expect, test } from 'vitest'
import { classify, errorCodes, nodeCodes, toFailure } from './failures.ts'

/** As @clickhouse/client raises what the server answers. */
const answer = (code: number, message = 'said the server') => Object.assign(new Error(message), { code: String(code) })

test('R2 each number stands in the table once, and means what it says', () => {
  const codes = errorCodes.map(({ code }) => code)
  expect(new Set(codes).size).toBe(codes.length)
  for (const { code, failure, meaning } of errorCodes) {
    expect(toFailure(answer(code))).toMatchObject({ code, failure, message: expect.stringContaining(meaning) })
  }
})

test.each([
  [60, 'schema'],
  [241, 'throttled'],
  [252, 'throttled'],
  [319, 'unknown-outcome'],
  [497, 'auth'],
  [516, 'auth'],
  [159, 'transient'],
  [469, 'row'],
  [62, 'fatal'],
  [9999, 'fatal'],
] as const)('R2 code %i is %s', (code, failure) => {
  expect(classify(answer(code))).toBe(failure)
})

test('R2 a request that broke may have been carried out', () => {
  for (const [code, failure] of Object.entries(nodeCodes))
    expect(classify(Object.assign(new Error('x'), { code }))).toBe(failure)
  expect(classify(new Error('Timeout error.'))).toBe('unknown-outcome')
  for (const thrown of [undefined, null, 'x', 1, {}, new Error('')]) expect(classify(thrown)).toBe('fatal')
})

test('C2 what the server says of a row is not repeated', () => {
  expect(toFailure(answer(469, 'Constraint c for table t is violated at row 1: secret')).message).not.toContain(
    'secret',
  )
})
