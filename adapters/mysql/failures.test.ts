import { expect, test } from 'vitest'
import { classify, clientCodes, errorCodes, isAnswer, MysqlFailure, toFailure } from './failures.ts'

/** As mysql2 raises what the server answers. */
function answer(errno: number, message = 'said the server'): Error {
  return Object.assign(new Error(message), { errno, code: 'ER_SOMETHING', sqlState: 'HY000' })
}

test.each([
  [1205, 'transient'],
  [1213, 'transient'],
  [1040, 'throttled'],
  [1062, 'row'],
  [1048, 'row'],
  [1264, 'row'],
  [1292, 'row'],
  [1366, 'row'],
  [1406, 'row'],
  [1452, 'row'],
  [3819, 'row'],
  [4025, 'row'],
  [1045, 'auth'],
  [1142, 'auth'],
  [1054, 'schema'],
  [1146, 'schema'],
  [1290, 'transient'],
  [1064, 'fatal'],
] as const)('R2 error %i is %s', (errno, failure) => {
  expect(classify(answer(errno))).toBe(failure)
})

test('R2 each number stands in the table once, with its meaning in the message', () => {
  const codes = errorCodes.map(({ code }) => code)
  expect(new Set(codes).size).toBe(codes.length)
  for (const { code, failure, meaning } of errorCodes) {
    expect(toFailure(answer(code))).toMatchObject({ code, failure, message: expect.stringContaining(meaning) })
  }
})

test('R2 a connection that breaks is transient and no answer; whatever else is thrown is fatal', () => {
  for (const [code, failure] of Object.entries(clientCodes)) {
    const error = Object.assign(new Error('x'), { code })
    expect(classify(error)).toBe(failure)
    expect(isAnswer(error)).toBe(false)
  }
  expect(isAnswer(answer(1213))).toBe(true)
  expect(isAnswer(answer(1053))).toBe(false)
  for (const thrown of [undefined, null, 'x', 1, {}, new Error('')]) expect(classify(thrown)).toBe('fatal')
  expect(classify(new Error("Can't add new command when connection is in closed state"))).toBe('transient')
})

test('C2 what the server says of a value is not repeated; the index that a row met is', () => {
  const duplicate = toFailure(answer(1062, "Duplicate entry 'secret-7' for key 'orders.by_mail'"))
  expect(duplicate.message).not.toContain('secret')
  expect(duplicate.index).toBe('by_mail')
  expect(toFailure(answer(1062, "Duplicate entry 'it''s for key' for key 'PRIMARY'")).index).toBe('PRIMARY')
  expect(toFailure(answer(1366, "Incorrect integer value: 'secret' for column 'n' at row 1")).message).not.toContain(
    'secret',
  )
  expect(toFailure(new MysqlFailure('as it is', 'row')).message).toBe('as it is')
})
