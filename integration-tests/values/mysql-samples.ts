import type { Connection } from 'mysql2/promise'
import { type TypeSample, typeSamples } from './type-samples.ts'

/** What MySQL and MariaDB hold of the samples: all but the numbers that are none. */
export const mysqlSamples: readonly TypeSample[] = typeSamples.map(({ type, values }) => ({
  type,
  values: values.filter(([json]) => json !== '"NaN"' && json !== '"-Infinity"'),
}))

/** What `readSamples` has to find of a value. */
export function mysqlSample({ type }: TypeSample, [json, text]: readonly [json: string, text: string]): unknown {
  const [, name] = /^(\w+)/.exec(type) ?? []
  switch (name) {
    case 'BOOLEAN':
      return text === 'true' ? '1' : '0'
    case 'FLOAT':
      return Math.fround(Number(text))
    case 'DOUBLE':
      return Number(text)
    case 'TIMESTAMP_LTZ':
      return text.replace('+00', '')
    case 'ARRAY':
      return JSON.parse(json)
    case 'MAP':
    case 'ROW':
    case 'JSON':
      return JSON.parse(text)
    default:
      return text
  }
}

/** The rows of the table `samples` past the connector, each column as `mysqlSample` gives it. */
export async function readSamples(client: Connection): Promise<readonly (readonly unknown[])[]> {
  const columns = mysqlSamples.map(({ type }, at) => selected(type, `c${at}`))
  const sql = `SELECT id, ${columns.join(', ')} FROM samples ORDER BY id`
  const [rows] = await client.query({ sql, rowsAsArray: true })
  return (rows as unknown[][]).map(([id, ...cells]) => [
    id,
    ...cells.map((cell, at) => (cell === null ? null : found(mysqlSamples[at]?.type ?? '', cell))),
  ])
}

function selected(type: string, column: string): string {
  if (/^(FLOAT|DOUBLE)/.test(type)) return column
  if (/^(BINARY|BYTES)/.test(type)) return `CONCAT('\\\\x', LOWER(HEX(${column})))`
  return `CONVERT(CAST(${column} AS CHAR) USING utf8mb4)`
}

function found(type: string, cell: unknown): unknown {
  if (/^(ARRAY|MAP|ROW|JSON)/.test(type)) return JSON.parse(String(cell))
  // the column is a DOUBLE, which may hold the shortest text of a FLOAT
  if (type === 'FLOAT') return Math.fround(Number(cell))
  // all digits of a second are there, zeros too
  return /^TIME/.test(type) ? String(cell).replace(/\.000000$/, '') : cell
}
