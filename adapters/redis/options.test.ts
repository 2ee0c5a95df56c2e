import { expect, test } from 'vitest'
import type { Problem } from '../../src/errors.ts'
import { resolveOptions } from '../../src/options/resolve-options.ts'
import { type Endpoint, options, parseEndpoint, type RedisOptions } from './options.ts'

function endpoint(given: Record<string, string>): Endpoint | undefined | string {
  const problems: Problem[] = []
  const parsed = parseEndpoint(resolveOptions(options, given).values as unknown as RedisOptions, problems)
  return problems.length > 0 ? problems.map(({ subject, message }) => `${subject} ${message}`).join('; ') : parsed
}

test('a url says where, as whom, and whether by TLS', () => {
  expect(endpoint({ url: 'redis://me:s%40cret@cache.example:6380/3' })).toEqual({
    nodes: [{ host: 'cache.example', port: 6380 }],
    database: 3,
    username: 'me',
    password: 's@cret',
    tls: false,
  })
  expect(endpoint({ url: 'valkeys://cache.example' })).toMatchObject({ nodes: [{ port: 6379 }], tls: true })
  expect(endpoint({ url: 'valkey://[::1]:7000', username: 'other' })).toMatchObject({
    nodes: [{ host: '::1', port: 7000 }],
    username: 'other',
  })
})

test('of a cluster several nodes are named', () => {
  expect(endpoint({ url: 'rediss://a:1@n1:7000,n2:7001, redis://n3', mode: 'cluster' })).toMatchObject({
    nodes: [
      { host: 'n1', port: 7000 },
      { host: 'n2', port: 7001 },
      { host: 'n3', port: 6379 },
    ],
    password: '1',
    tls: true,
  })
  expect(endpoint({ url: 'redis://n1,n2' })).toBe('url names several nodes')
  expect(endpoint({ url: 'redis://n1/2', mode: 'cluster' })).toBe(
    'url names a database, and a cluster has only number 0',
  )
})

test('C2 what is wrong with a url is said without the url', () => {
  expect(endpoint({})).toBe('url is missing')
  expect(endpoint({ url: 'http://me:secret@host' })).toBe('url is of no kind that is known here')
  expect(endpoint({ url: 'redis://me:se#cret@host:x' })).toBe('url cannot be read')
  expect(endpoint({ url: 'redis://host/orders' })).toBe('url names no database by number')
})
