import { expect, test } from 'vitest'
import type { Problem } from '../../src/errors.ts'
import { parseEndpoint, type RedisOptions } from './options.ts'

const endpoint = (given: Partial<RedisOptions>): unknown => {
  const problems: Problem[] = []
  const read = parseEndpoint({ mode: 'single', ...given } as RedisOptions, problems)
  return problems.length > 0 ? problems.map(({ message }) => message) : read
}

test('a url is read for every family', () => {
  expect(endpoint({ url: 'valkey://ada:p%40ss@h:6380/2' })).toEqual({
    ...{ urls: ['redis://h:6380/2'], username: 'ada', password: 'p@ss', isEncrypted: false },
  })
  expect(endpoint({ url: 'rediss://a, rediss://b:7000', mode: 'cluster' })).toMatchObject({
    ...{ urls: ['rediss://a', 'rediss://b:7000'], isEncrypted: true },
  })
})

test('C2 what is wrong with a url is said without it', () => {
  expect(endpoint({})).toEqual(['is missing'])
  expect(endpoint({ url: 'http://u:secret@h' })).toEqual(['is of no kind that is known here'])
  expect(endpoint({ url: 'redis://a,redis://b' })).toEqual(['names several servers'])
})
