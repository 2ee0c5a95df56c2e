import { chownSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSink } from '../../src/sink/create-sink.ts'
import { createServerFolder } from '../services/folders.ts'
import { makeCertificate } from '../services/make-certificate.ts'
import { type PostgresServer, startPostgres } from '../services/postgres-server.ts'
import { unprivilegedUser } from '../services/server-user.ts'
import { sinkTable } from '../sink-table.ts'

let server: PostgresServer | undefined
let folder: string
let missing: string | undefined

/** A server whose certificate is for 127.0.0.1, signed by itself. */
beforeAll(async () => {
  const user = unprivilegedUser()
  folder = createServerFolder('tls', user)
  try {
    const { key, certificate: cert } = await makeCertificate(folder, 'IP:127.0.0.1')
    if (user !== undefined) for (const file of [key, cert]) chownSync(file, user.uid, user.gid)
    const settings = { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key }
    server = await startPostgres({ source: 'machine', settings })
  } catch (error) {
    missing = (error as Error).message
  }
})

afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const cases: readonly (readonly [
  title: string,
  host: string,
  options: Record<string, string>,
  code: string | undefined,
])[] = [
  ['trusts the authority that is named', '127.0.0.1', { tls: 'verify-full', 'tls.ca-file': 'CERT' }, undefined],
  ['refuses a certificate that nobody vouches for', '127.0.0.1', { tls: 'verify-full' }, 'STORE_AUTH'],
  ['refuses a certificate of another name', 'localhost', { tls: 'verify-full', 'tls.ca-file': 'CERT' }, 'STORE_AUTH'],
  ['takes any certificate if told so', '127.0.0.1', { tls: 'insecure' }, undefined],
]

for (const [title, host, options, code] of cases) {
  test(`C2 tls ${title}`, async (context) => {
    if (server === undefined) return context.skip(`no server with TLS: ${missing}`)
    const url = new URL(server.adminUrl)
    url.hostname = host
    const given = Object.entries(options).map(([name, value]) => [
      name,
      value === 'CERT' ? join(folder, 'server.crt') : value,
    ])
    const table = sinkTable(url.href, 'over_tls', 'id INT, PRIMARY KEY (id) NOT ENFORCED', {
      'sink.create-table': 'if-not-exists',
      ...Object.fromEntries(given),
    })
    const opening = createSink({ table })
    if (code !== undefined) await expect(opening).rejects.toMatchObject({ code })
    else await (await opening).close()
  })
}
