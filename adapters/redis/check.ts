import { must } from '../../src/assert.ts'
import type { CheckFinding, OpenContext } from '../../src/connector/connector.ts'
import { openLink } from './link.ts'
import type { RedisOptions } from './options.ts'
import { serverFacts } from './server-facts.ts'

export async function checkServer({ tables, client }: OpenContext): Promise<readonly CheckFinding[]> {
  const options = must(tables[0], 'a domain has a table').connectorOptions as RedisOptions
  const link = await openLink(client, options)
  try {
    const facts = await serverFacts(link)
    return [{ severity: 'ok', subject: 'server', message: facts.name }]
  } finally {
    await link.close()
  }
}
