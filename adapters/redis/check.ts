import { must } from '../../src/assert.ts'
import type { CheckFinding, OpenContext } from '../../src/connector/connector.ts'
import { openConnection } from './client.ts'
import type { RedisOptions } from './options.ts'
import { serverOf } from './server-info.ts'
import { targetOf } from './target.ts'

/** What of the server would cost rows or refuse them; there is no table to compare. */
export async function check({ tables, client }: OpenContext): Promise<readonly CheckFinding[]> {
  const targets = tables.map(targetOf)
  const options = must(tables[0], 'a domain has a table').connectorOptions as RedisOptions
  const connection = await openConnection(client, options)
  try {
    const { name, mode, evictionPolicy, persists } = await serverOf(connection)
    const findings: CheckFinding[] = [{ severity: 'ok', subject: 'server', message: `${name}, ${mode}` }]
    if (mode === 'cluster' && !connection.isCluster) {
      const message = 'is a node of a cluster, and only the rows of its own slots can be written'
      findings.push({ severity: 'error', subject: 'server', message, fix: "set 'mode' = 'cluster'" })
    }
    if (evictionPolicy !== undefined && evictionPolicy !== 'noeviction') {
      const message = `is ${evictionPolicy}: rows and tombstones can vanish when memory is short`
      findings.push({
        severity: 'warning',
        subject: 'maxmemory-policy',
        message,
        fix: 'CONFIG SET maxmemory-policy noeviction',
      })
    }
    if (!persists) {
      const message = 'is off: what was written since the last snapshot is lost when the server ends'
      findings.push({ severity: 'warning', subject: 'appendonly', message, fix: 'CONFIG SET appendonly yes' })
    }
    const prefixes = targets.map(({ prefix }) => prefix)
    for (const [at, prefix] of prefixes.entries()) {
      const other = prefixes.findIndex((one, index) => index !== at && one.startsWith(prefix))
      if (other < 0) continue
      const message = `begins the names of ${targets[other]?.plan.name ?? 'another table'} too`
      findings.push({
        severity: 'error',
        subject: `key.prefix of ${targets[at]?.plan.name ?? ''}`,
        message,
        fix: "set 'key.prefix'",
      })
    }
    return findings
  } finally {
    await connection.close()
  }
}
