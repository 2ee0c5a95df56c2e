import { ClientClosedError, ClientOfflineError, SocketClosedUnexpectedlyError } from 'redis'
import { expect, test } from 'vitest'
import { classify, errorWords, RedisFailure, toFailure } from './failures.ts'

test('R2 each word of the server has one class', () => {
  expect(new Set(errorWords.map(({ word }) => word)).size).toBe(errorWords.length)
  const table = Object.fromEntries(errorWords.map(({ word, failure }) => [word, failure]))
  expect(table).toMatchObject({
    OOM: 'throttled',
    READONLY: 'transient',
    MOVED: 'transient',
    ASK: 'transient',
    TRYAGAIN: 'transient',
    CLUSTERDOWN: 'transient',
    LOADING: 'transient',
    BUSY: 'transient',
    NOSCRIPT: 'transient',
    WRONGTYPE: 'row',
    NOAUTH: 'auth',
    CROSSSLOT: 'fatal',
  })
})

test('R2 the first word of an answer is what counts, also inside of an error of a script', () => {
  const oom = toFailure(new Error("OOM command not allowed when used memory > 'maxmemory'."))
  expect([oom.failure, oom.word]).toEqual(['throttled', 'OOM'])
  const wrapped =
    'ERR Error running script (call to f_0): @user_script:12: @user_script: 12: -READONLY You can not write'
  expect(toFailure(new Error(wrapped)).word).toBe('READONLY')
})

test('R2 a command that was sent has an unknown outcome, one that was not can be sent again', () => {
  expect(classify(new SocketClosedUnexpectedlyError())).toBe('unknown-outcome')
  expect(classify(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))).toBe('unknown-outcome')
  expect(classify(new ClientOfflineError())).toBe('transient')
  expect(classify(new ClientClosedError())).toBe('transient')
  const refused = Object.assign(new AggregateError([new Error('connect ECONNREFUSED')]), { code: 'ECONNREFUSED' })
  expect(classify(refused)).toBe('transient')
})

test('C2 what the server quotes of a command is not repeated', () => {
  const { message, failure } = toFailure(new Error("ERR unknown command 'HSET', with args beginning with: 'secret'"))
  expect(failure).toBe('fatal')
  expect(message).toBe('the server answered ERR unknown command')
})

test('a failure stays what it is', () => {
  const failure = new RedisFailure('x', 'throttled')
  expect(toFailure(failure)).toBe(failure)
})
