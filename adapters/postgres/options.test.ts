import { expect, test } from 'vitest'
import type { Problem } from '../../src/errors.ts'
import { resolveOptions } from '../../src/options/resolve-options.ts'
import { type Endpoint, options, parseEndpoint } from './options.ts'

function endpoint(given: Readonly<Record<string, string>>): { endpoint: Endpoint | undefined; problems: Problem[] } {
  const problems: Problem[] = []
  const { values } = resolveOptions(options, given)
  return { endpoint: parseEndpoint(values, problems), problems }
}

test('PGlite by folder and in memory', () => {
  expect(endpoint({ url: 'pglite:./data' }).endpoint).toEqual({ kind: 'pglite', dataDir: './data' })
  expect(endpoint({ url: 'pglite:memory' }).endpoint).toEqual({ kind: 'pglite', dataDir: 'memory://' })
  expect(endpoint({ url: 'pglite:' }).problems).toHaveLength(1)
})

test('a server by URL, in the forms of libpq and of JDBC', () => {
  expect(endpoint({ url: 'postgresql://me:p%40ss@db.example:6432/Shop' }).endpoint).toEqual({
    kind: 'server',
    host: 'db.example',
    port: 6432,
    database: 'Shop',
    user: 'me',
    password: 'p@ss',
    searchPath: undefined,
    tls: 'verify-full',
  })
  expect(
    endpoint({ url: 'jdbc:postgresql://localhost/shop?currentSchema=sales&user=u', username: 'v', password: 'w' })
      .endpoint,
  ).toMatchObject({ host: 'localhost', port: 5432, user: 'v', password: 'w', searchPath: 'sales', tls: 'off' })
  expect(endpoint({ url: 'postgres:///db?host=/run/postgresql&user=u' }).endpoint).toMatchObject({
    host: '/run/postgresql',
    database: 'db',
    tls: 'off',
  })
  expect(endpoint({ url: 'postgres://[::1]:5433/db' }).endpoint).toMatchObject({ host: '::1', port: 5433, tls: 'off' })
})

test('C2 encryption means to be sure of the server, unless told otherwise', () => {
  const at = (url: string, more: Readonly<Record<string, string>> = {}) => {
    const { endpoint: found } = endpoint({ url, ...more })
    return found?.kind === 'server' ? found.tls : undefined
  }
  expect(at('postgres://db.example/x')).toBe('verify-full')
  expect(at('postgres://db.example/x?sslmode=require')).toBe('verify-full')
  expect(at('postgres://db.example/x?sslmode=disable')).toBe('off')
  expect(at('postgres://127.0.0.1/x')).toBe('off')
  expect(at('postgres://db.example/x', { tls: 'insecure' })).toBe('insecure')
})

test('what is not understood is refused with the parameter, never with the URL', () => {
  for (const url of [
    'mysql://h/x',
    'postgres://u:hunter2@h:port/x',
    'postgres://u:hunter2@h/x?reWriteBatchedInserts=true',
    'postgres://u:hunter2@h/x?sslmode=prefer',
  ]) {
    const { problems } = endpoint({ url })
    expect(problems).toHaveLength(1)
    expect(JSON.stringify(problems)).not.toContain('hunter2')
  }
})
