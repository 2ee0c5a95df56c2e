import { expect, test } from 'vitest'
import { classify, errorTypes, serverFailure, toFailure } from './failures.ts'

test('R2 every type of error has its class once', () => {
  const types = errorTypes.map(({ type }) => type)
  expect(new Set(types).size).toBe(types.length)
})

test.each([
  [429, undefined, 'item', 'throttled'],
  [429, 'es_rejected_execution_exception', 'item', 'throttled'],
  [503, 'unavailable_shards_exception', 'item', 'transient'],
  [400, 'document_parsing_exception', 'item', 'row'],
  [400, 'something_new_exception', 'item', 'row'],
  [400, 'something_new_exception', 'request', 'fatal'],
  [403, 'cluster_block_exception', 'item', 'throttled'],
  [403, 'security_exception', 'item', 'auth'],
  [404, 'index_not_found_exception', 'item', 'schema'],
  [500, undefined, 'request', 'unknown-outcome'],
  [504, undefined, 'request', 'unknown-outcome'],
  [401, undefined, 'request', 'auth'],
] as const)('R2 %i %s of an %s is %s', (status, type, of, failure) => {
  expect(serverFailure(status, type, of).failure).toBe(failure)
})

test.each([
  ['ConnectionError', 'connect ECONNREFUSED 127.0.0.1:9200', 'transient'],
  ['ConnectionError', 'socket hang up', 'unknown-outcome'],
  ['TimeoutError', 'Request timed out', 'unknown-outcome'],
  ['NoLivingConnectionsError', 'none', 'transient'],
  ['ConfigurationError', 'bad', 'fatal'],
  ['TypeError', 'x is not a function', 'fatal'],
])('R2 what the clients throw has a class: %s %s', (name, message, failure) => {
  const error = Object.assign(new Error(message), { name })
  expect(classify(error)).toBe(failure)
})

test('R2 a certificate that does not fit is no passing fault, wrapped or not', () => {
  const cause = Object.assign(new Error('self-signed'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(toFailure(new Error('fetch failed', { cause })).failure).toBe('auth')
})
