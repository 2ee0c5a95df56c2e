import type { Link, Send } from './link.ts'
import type { RedisTable } from './table.ts'

/** How many places of the key space one SCAN looks at. */
const scanCount = '1000'

/**
 * Keys of a table, each once, found by SCAN: those that are there from begin to end are all among them. A table without a
 * primary key is one stream.
 */
export async function scanKeys(
  link: Link,
  table: RedisTable,
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  const { plan, template } = table
  const keys = new Set<string>()
  const pattern = `${template.prefix.replace(/[*?[\]\\]/g, '\\$&')}${plan.merge.key.length === 0 ? '' : '*'}`
  for (const send of await link.masters()) {
    for await (const key of scan(send, pattern)) {
      if (template.partsOf(key) !== undefined) keys.add(key)
      if (keys.size >= limit) return [...keys]
    }
  }
  return [...keys]
}

async function* scan(send: Send, pattern: string): AsyncGenerator<string> {
  let cursor = '0'
  do {
    const [next, found] = (await send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', scanCount])) as [unknown, Buffer[]]
    for (const key of found) yield key.toString('utf8')
    cursor = String(next)
  } while (cursor !== '0')
}
