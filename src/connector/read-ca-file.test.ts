import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSink } from '../sink/create-sink.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-ca-'))
const empty = join(folder, 'empty.pem')
writeFileSync(empty, 'no certificate\n')

const servers = {
  postgres: "'url' = 'postgres://localhost:1/x'",
  mysql: "'url' = 'mysql://localhost:1/x'",
  clickhouse: "'url' = 'https://localhost:1/x'",
  redis: "'url' = 'rediss://localhost:1'",
  elasticsearch: "'hosts' = 'https://localhost:1'",
  opensearch: "'hosts' = 'https://localhost:1'",
}

test.each(Object.entries(servers))(
  'C1 %s: a certificate that cannot be read is told with its file',
  async (connector, where) => {
    for (const [file, fault] of [
      [join(folder, 'absent.pem'), `cannot be read: ENOENT`],
      [empty, 'holds no certificate in PEM'],
    ] as const) {
      const table = `CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED)
      WITH ('connector' = '${connector}', ${where}, 'tls.ca-file' = '${file}')`
      await expect(createSink({ table })).rejects.toMatchObject({
        code: 'OPTION_INVALID',
        problems: [{ subject: 'tls.ca-file', message: expect.stringContaining(fault) }],
      })
    }
  },
)
