import { expect, test } from 'vitest'
import type { FailureClass } from '../../src/connector/connector.ts'
import { classify, isAnswer, nodeCodes, PostgresFailure, sqlStates, toFailure } from './failures.ts'

/** One real state for each row of the table, with what has to follow from it. */
const expected: readonly (readonly [state: string, failure: FailureClass])[] = [
  ['08006', 'transient'],
  ['08P01', 'transient'],
  ['0A000', 'schema'],
  ['21000', 'fatal'],
  ['22001', 'row'],
  ['22003', 'row'],
  ['22008', 'row'],
  ['22012', 'row'],
  ['22021', 'row'],
  ['22P02', 'row'],
  ['22P05', 'row'],
  ['23001', 'row'],
  ['23502', 'row'],
  ['23503', 'row'],
  ['23505', 'row'],
  ['23514', 'row'],
  ['23P01', 'row'],
  ['25006', 'transient'],
  ['25P03', 'transient'],
  ['25P04', 'transient'],
  ['26000', 'transient'],
  ['27000', 'row'],
  ['28P01', 'auth'],
  ['38001', 'row'],
  ['39P01', 'row'],
  ['3D000', 'schema'],
  ['3F000', 'schema'],
  ['40000', 'transient'],
  ['40001', 'transient'],
  ['40002', 'row'],
  ['40003', 'unknown-outcome'],
  ['40P01', 'transient'],
  ['42501', 'auth'],
  ['428C9', 'schema'],
  ['42P01', 'schema'],
  ['44000', 'row'],
  ['53000', 'throttled'],
  ['53100', 'throttled'],
  ['53200', 'throttled'],
  ['53300', 'throttled'],
  ['54000', 'row'],
  ['54023', 'fatal'],
  ['55000', 'schema'],
  ['55006', 'transient'],
  ['55P03', 'transient'],
  ['57000', 'transient'],
  ['57014', 'transient'],
  ['57P01', 'transient'],
  ['57P02', 'transient'],
  ['57P03', 'transient'],
  ['57P04', 'schema'],
  ['57P05', 'transient'],
  ['58030', 'throttled'],
  ['F0000', 'fatal'],
  ['P0001', 'row'],
  ['XX000', 'fatal'],
]

function serverError(code: string): Error {
  return Object.assign(new Error('value "4711" is bad'), { code })
}

test.each(expected)('R2 SQLSTATE %s is %s', (state, failure) => {
  expect(classify(serverError(state))).toBe(failure)
})

test('R2 every row of the table has a state that is asked for', () => {
  const asked = (state: string): boolean =>
    expected.some(([one]) =>
      state.length === 5 ? one === state : one.startsWith(state) && !sqlStates.some((row) => row.state === one),
    )
  expect(sqlStates.map(({ state }) => state).filter((state) => !asked(state))).toEqual([])
  expect(new Set(sqlStates.map(({ state }) => state)).size).toBe(sqlStates.length)
})

test.each(Object.entries(nodeCodes))('R2 the code %s of Node is %s', (code, failure) => {
  expect(classify(Object.assign(new Error('connect'), { code }))).toBe(failure)
})

test.each([
  ['Connection terminated unexpectedly', 'transient'],
  ['Client has encountered a connection error and is not queryable', 'transient'],
  ['Query read timeout', 'transient'],
  ['timeout expired', 'transient'],
  ['The server does not support SSL connections', 'auth'],
  ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', 'auth'],
  ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string', 'auth'],
  ['PGlite is closed', 'fatal'],
] as const)('R2 the driver’s error "%s" is %s', (message, failure) => {
  expect(classify(new Error(message))).toBe(failure)
})

test('R2 anything at all is classified, and nothing throws', () => {
  for (const odd of [undefined, null, 0, 'text', {}, { code: 5 }, new Error(''), Symbol('x'), new AggregateError([])]) {
    expect(classify(odd)).toBe('fatal')
  }
  expect(classify(new AggregateError([serverError('23505')], ''))).toBe('fatal')
})

test('C2 a message shows no value of a row, but names what can be named', () => {
  for (const state of ['22003', '22P02', '22021', 'P0001', '38001', '54000']) {
    expect(toFailure(serverError(state)).message).not.toContain('4711')
    expect(toFailure(serverError(state)).message).toContain(state)
  }
  const unique = Object.assign(new Error('duplicate key value violates unique constraint "orders_mail_key"'), {
    code: '23505',
  })
  expect(toFailure(unique).message).toContain('orders_mail_key')
})

test('R2 an answer of the server is told from a connection that broke', () => {
  expect(isAnswer(serverError('23505'))).toBe(true)
  expect(isAnswer(serverError('57P01'))).toBe(false)
  expect(isAnswer(serverError('08006'))).toBe(false)
  expect(isAnswer(new Error('Connection terminated unexpectedly'))).toBe(false)
  expect(isAnswer(new PostgresFailure('refused', 'row', '22001'))).toBe(true)
})
