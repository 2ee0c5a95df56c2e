import type pg from 'pg'
import type { CrashState, CrashTable } from './crash-input.ts'

/** What a reader of the store sees; tables that are not there yet have no rows. */
export async function readCrashState(client: pg.Client): Promise<CrashState> {
  return {
    sums: await readRows(client, 'sums', "total || ' ' || n"),
    versions: await readRows(client, 'versions', "version || ' ' || body"),
  }
}

async function readRows(client: pg.Client, table: CrashTable, text: string): Promise<Readonly<Record<string, string>>> {
  const { rows: columns } = await client.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = to_regclass($1) and attnum > 0',
    [table],
  )
  if (columns.length === 0) return {}
  const isFlagged = columns.some(({ name }) => name === '__tidegate_deleted')
  const { rows } = await client.query<{ id: string; text: string }>(
    `select id, ${text} as text from ${table} ${isFlagged ? 'where not __tidegate_deleted' : ''}`,
  )
  return Object.fromEntries(rows.map((row) => [row.id, row.text]))
}
