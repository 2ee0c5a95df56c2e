import { expect, test } from 'vitest'
import { classify, replyCodes, toFailure } from './failures.ts'

test.each(Object.entries(replyCodes))('R2 a reply that begins with %s is %s', (code, failure) => {
  expect(classify(new Error(`${code} what the server says`))).toBe(failure)
})

test('R2 an error inside of a script counts as what it is, whatever the version puts around it', () => {
  const newer = "OOM command not allowed when used memory > 'maxmemory'. script: 0ff, on @user_script:1."
  const older = 'ERR Error running script (call to f_0ff): @user_script:1: -OOM command not allowed'
  expect(classify(new Error(newer))).toBe('throttled')
  expect(classify(new Error(older))).toBe('throttled')
})

test('R2 what was not sent is transient; where the answer was lost, nobody knows', () => {
  class SocketClosedUnexpectedlyError extends Error {}
  class ClientOfflineError extends Error {}
  expect(classify(new SocketClosedUnexpectedlyError('Socket closed unexpectedly'))).toBe('unknown-outcome')
  expect(classify(new ClientOfflineError('The client is offline'))).toBe('transient')
  expect(classify(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))).toBe('transient')
  expect(classify(Object.assign(new Error('read'), { code: 'ECONNRESET' }))).toBe('unknown-outcome')
  expect(classify(Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' }))).toBe('auth')
  for (const thrown of [undefined, null, 'x', 1, {}, new Error('')]) expect(classify(thrown)).toBe('fatal')
  expect(toFailure(new Error('WRONGPASS invalid')).code).toBe('WRONGPASS')
})
