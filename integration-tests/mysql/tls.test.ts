import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSink } from '../../src/sink/create-sink.ts'
import { createServerFolder } from '../services/folders.ts'
import { makeCertificate } from '../services/make-certificate.ts'
import { createMysqlDatabase, type MysqlDatabase } from '../services/mysql-database.ts'
import { type MysqlServer, startMysql } from '../services/mysql-server.ts'
import { sinkTable } from '../sink-table.ts'
import { describeStore } from '../stores.ts'

interface TlsCase {
  readonly title: string
  readonly certificate: string
  readonly host: string
  readonly options: Readonly<Record<string, string>>
  /** Undefined: it connects. */
  readonly code?: string | undefined
}

const verified = { tls: 'verify-full', 'tls.ca-file': 'CERT' }

const cases: readonly TlsCase[] = [
  {
    title: 'trusts the authority that is named, by address',
    certificate: 'IP:127.0.0.1',
    host: '127.0.0.1',
    options: verified,
  },
  {
    title: 'trusts the authority that is named, by name',
    certificate: 'DNS:localhost',
    host: 'localhost',
    options: verified,
  },
  {
    title: 'refuses a certificate that nobody vouches for',
    certificate: 'IP:127.0.0.1',
    host: '127.0.0.1',
    options: { tls: 'verify-full' },
    code: 'STORE_AUTH',
  },
  {
    title: 'refuses a certificate of another name',
    certificate: 'IP:127.0.0.1',
    host: 'localhost',
    options: verified,
    code: 'STORE_AUTH',
  },
  {
    title: 'refuses a certificate of a name where an address is meant',
    certificate: 'DNS:localhost',
    host: '127.0.0.1',
    options: verified,
    code: 'STORE_AUTH',
  },
  {
    title: 'takes any certificate if told so',
    certificate: 'DNS:localhost',
    host: '127.0.0.1',
    options: { tls: 'insecure' },
  },
]

describeStore('mariadb', 'tls', () => {
  for (const certificate of new Set(cases.map((one) => one.certificate))) {
    let server: MysqlServer
    let database: MysqlDatabase
    let folder: string
    let missing: string | undefined

    beforeAll(async () => {
      folder = createServerFolder('tls', undefined)
      let files: Awaited<ReturnType<typeof makeCertificate>>
      try {
        files = await makeCertificate(folder, certificate)
      } catch (error) {
        missing = (error as Error).message
        return
      }
      server = await startMysql('mariadb', [`--ssl-cert=${files.certificate}`, `--ssl-key=${files.key}`])
      database = await createMysqlDatabase(server)
    })

    afterAll(async () => {
      await server?.stop()
      await rm(folder, { recursive: true, force: true })
    })

    for (const { title, host, options, code } of cases.filter((one) => one.certificate === certificate)) {
      test(`C2 ${title}`, async (context) => {
        if (missing !== undefined) return context.skip(`no certificate could be made: ${missing}`)
        const url = new URL(database.url)
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
  }
})
