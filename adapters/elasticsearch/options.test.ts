import { expect, test } from 'vitest'
import type { Problem } from '../../src/errors.ts'
import { resolveOptions } from '../../src/options/resolve-options.ts'
import { elasticsearchDialect, opensearchDialect } from './dialect.ts'
import { endpointsOf, identityOf, options } from './options.ts'

const read = (given: Readonly<Record<string, string>>) => resolveOptions(options, given).values

test('C1 hosts are read, with the path in front of requests', () => {
  const given = read({ hosts: 'http://a:9200; https://b:9243/x/', 'connection.path-prefix': '/es/' })
  expect(endpointsOf(elasticsearchDialect, given, [])).toEqual(['http://a:9200/es', 'https://b:9243/x/es'])
})

test('C2 what is wrong with hosts and login comes at once, without their values', () => {
  const given = read({ hosts: 'http://u:secret@:x;ftp://b', 'api-key': 'topsecret', username: 'u' })
  const problems: Problem[] = []
  endpointsOf(elasticsearchDialect, given, problems)
  expect(problems).toMatchObject([{ subject: 'hosts' }, { subject: 'hosts' }, { subject: 'api-key' }])
  expect(JSON.stringify(problems)).not.toMatch(/secret/)
})

test('C2 OpenSearch takes no API key', () => {
  const problems: Problem[] = []
  endpointsOf(opensearchDialect, read({ hosts: 'http://a', 'api-key': 'k' }), problems)
  expect(problems).toMatchObject([{ subject: 'api-key', message: 'is not taken by OpenSearch' }])
})

test('B4 tables of the same nodes and user are flushed together', () => {
  const one = identityOf(read({ hosts: 'http://a:9200;http://b:9200' }))
  expect(identityOf(read({ hosts: 'http://b:9200/; http://a:9200' }))).toBe(one)
  expect(identityOf(read({ hosts: 'http://b:9200;http://a:9200', username: 'u' }))).not.toBe(one)
})
