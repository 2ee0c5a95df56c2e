import { expect, test } from 'vitest'
import type { Problem } from '../../src/errors.ts'
import { type ClickhouseOptions, parseEndpoint } from './options.ts'

const endpoint = (given: Partial<ClickhouseOptions>): unknown => {
  const problems: Problem[] = []
  const read = parseEndpoint({ username: 'default', ...given } as ClickhouseOptions, problems)
  return problems.length > 0 ? problems.map(({ message }) => message) : read
}

test('a url is read in every spelling', () => {
  expect(endpoint({ url: 'clickhouse://ada:p%40ss@h/shop' })).toEqual({
    ...{ url: 'http://h:8123', database: 'shop', user: 'ada', password: 'p@ss' },
  })
  expect(endpoint({ url: 'jdbc:clickhouse://h:8443/shop?ssl=true', username: 'v', password: 'w' })).toEqual({
    ...{ url: 'https://h:8443', database: 'shop', user: 'v', password: 'w' },
  })
  expect(endpoint({ url: 'https://h' })).toMatchObject({ url: 'https://h:8443', database: 'default' })
})

test('C2 what is wrong with a url is said without it', () => {
  expect(endpoint({})).toEqual(['is missing'])
  expect(endpoint({ url: 'postgres://u:secret@h/d' })).toEqual(['is of no kind that is known here'])
  expect(endpoint({ url: 'clickhouse://h:9000/d' })).toEqual(['names port 9000, that of the native protocol'])
})
