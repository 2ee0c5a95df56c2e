import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSink } from '../../src/sink/create-sink.ts'
import { createServerFolder } from '../services/folders.ts'
import { type HttpsFront, startHttpsFront } from '../services/https-front.ts'
import { makeCertificate } from '../services/make-certificate.ts'
import { describeEachSearch } from '../stores.ts'
import { TestIndices, writeAll } from './test-index.ts'

const columns = 'id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED'
const login = { username: 'writer', password: 'with:colon é' }
const authorization = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`

/**
 * The nodes of the tests have no security plugin, so HTTPS and the login are those of a reverse proxy in front of them:
 * what the connector sends and how it takes a refusal is real, what a security plugin says of single rights is not seen.
 */
describeEachSearch('https and login', (server) => {
  const indices = new TestIndices(server)
  let folder: string
  let front: HttpsFront | undefined
  let missing: string | undefined

  beforeAll(async () => {
    folder = createServerFolder('https', undefined)
    let files: Awaited<ReturnType<typeof makeCertificate>>
    try {
      files = await makeCertificate(folder, 'IP:127.0.0.1')
    } catch (error) {
      missing = (error as Error).message
      return
    }
    front = await startHttpsFront({ target: server.url, ...files, authorization })
  })

  afterAll(async () => {
    await front?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const table = (name: string, host: string, options: Readonly<Record<string, string>>): string =>
    indices.ddl(name, columns, { hosts: `https://${host}:${front?.port}`, ...options })
  const trusted = (): Record<string, string> => ({ 'tls.ca-file': join(folder, 'server.crt') })

  test('C2 rows are written by whoever trusts the authority and knows the password', async (context) => {
    if (missing !== undefined) return context.skip(`no certificate could be made: ${missing}`)
    await writeAll(table('secured', '127.0.0.1', { ...login, ...trusted() }), [{ kind: '+I', row: { id: 1, v: 'a' } }])
    expect(await indices.rows('secured')).toEqual([{ id: 1, v: 'a' }])
  })

  test.for([
    ['a wrong password', '127.0.0.1', { username: 'writer', password: 'wrong' }, true],
    ['no login at all', '127.0.0.1', {}, true],
    ['a certificate that nobody vouches for', '127.0.0.1', login, false],
    ['a certificate of another name', 'localhost', login, true],
  ] as const)(
    'C2 %s is refused at once, by code and without the secret',
    async ([, host, options, trusts], context) => {
      if (missing !== undefined) return context.skip(`no certificate could be made: ${missing}`)
      const ddl = table('refused', host, { ...options, ...(trusts ? trusted() : {}) })
      const error = await createSink({ table: ddl }).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'STORE_AUTH' })
      expect(String((error as Error).message)).not.toContain('colon')
    },
  )

  test('C2 any certificate is taken if told so', async (context) => {
    if (missing !== undefined) return context.skip(`no certificate could be made: ${missing}`)
    const sink = await createSink({ table: table('insecure', 'localhost', { ...login, tls: 'insecure' }) })
    await sink.close()
  })
})
