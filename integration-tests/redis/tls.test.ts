import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSink } from '../../src/sink/create-sink.ts'
import { createServerFolder } from '../services/folders.ts'
import { freePort } from '../services/free-port.ts'
import { makeCertificate } from '../services/make-certificate.ts'
import { type RedisServer, startRedis } from '../services/redis-server.ts'
import { describeStore } from '../stores.ts'

describeStore('redis', 'tls', () => {
  let server: RedisServer | undefined
  let folder: string
  let port: number
  let authority: string
  let missing: string | undefined

  /** Of a server whose certificate is for 127.0.0.1, signed by itself. */
  beforeAll(async () => {
    folder = createServerFolder('tls', undefined)
    try {
      const { key, certificate } = await makeCertificate(folder, 'IP:127.0.0.1')
      authority = certificate
      port = await freePort()
      const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate]
      server = await startRedis('redis', ['--tls-port', String(port), '--tls-auth-clients', 'no', ...files])
    } catch (error) {
      missing = (error as Error).message
    }
  })
  afterAll(async () => {
    await server?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test.for([
    ['trusts the authority that is named', '127.0.0.1', "'tls.ca-file' = 'CERT'", undefined],
    ['refuses a certificate that nobody vouches for', '127.0.0.1', "'tls.verify' = 'true'", 'STORE_AUTH'],
    ['refuses a certificate of another name', 'localhost', "'tls.ca-file' = 'CERT'", 'STORE_AUTH'],
    ['takes any certificate if told so', 'localhost', "'tls.verify' = 'false'", undefined],
  ] as const)('C2 %s', async ([_title, host, options, code], context) => {
    if (missing !== undefined) return context.skip(`no server with TLS could be started: ${missing}`)
    const table = `CREATE TABLE over_tls (id INT, PRIMARY KEY (id) NOT ENFORCED)
      WITH ('connector' = 'redis', 'url' = 'rediss://${host}:${port}', ${options.replace('CERT', authority)})`
    const opening = createSink({ table })
    if (code !== undefined) return await expect(opening).rejects.toMatchObject({ code })
    const sink = await opening
    await sink.write({ kind: '+I', row: { id: 1 } })
    await sink.close()
  })
})
