import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { Row } from '../../src/row/row.ts'
import type { FoldKey, RowKeyCodec } from '../../src/row/row-key.ts'
import type { Value } from '../../src/row/value.ts'
import type { Connection } from './client.ts'
import { selectByKey } from './statements.ts'
import type { Target } from './target.ts'
import { textDecoder } from './type-mapping.ts'

/** The newest rows under the keys of some changes, deleted ones included. */
export async function readStored(
  connection: Connection,
  target: Target,
  keys: RowKeyCodec,
  changes: readonly MergeChange[],
): Promise<ReadonlyMap<FoldKey, Row>> {
  const { merge } = target.plan
  const decoders = merge.columns.map(({ type }) => textDecoder(type))
  const named = changes.map(({ row }) => merge.key.map((at) => keyText(row[at] as Value)))
  const stored = new Map<FoldKey, Row>()
  for (let from = 0; from < named.length; from += keysPerQuery) {
    const texts = await connection.rows(selectByKey(target), named.slice(from, from + keysPerQuery))
    for (const text of texts) {
      const row: Row = text.map((one, at) => (one === null ? null : (decoders[at]?.(one) ?? null)))
      const key = keys.keyOf(row)
      if (key !== undefined) stored.set(key, row)
    }
  }
  return stored
}

const keysPerQuery = 500

/** As the statement casts it to the type of the column. */
function keyText(value: Value): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value).replace(/Z$/, '')
}
