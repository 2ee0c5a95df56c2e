import type { Change } from '../changelog/element.ts'
import type { OnMalformed } from '../format/stream-decoder.ts'
import { toJsonText } from '../row/json-text.ts'
import { primaryKeyNames } from '../row/schema.ts'
import type { TableSet } from '../sink/plan-tables.ts'
import { TableRouter } from '../sink/table-router.ts'
import type { ChangelogFile } from './changelog-file.ts'
import { LineDecoder } from './line-decoder.ts'
import { formatOptionsOf } from './source-input.ts'

/** What of a table matters for decoding. */
interface DecodedTable {
  readonly name: string
  readonly source: { readonly table: string }
  readonly key: readonly string[]
}

/** A decoder for a file of changes as the tables ask for it. */
export function prepareDecoder(
  sets: readonly TableSet[],
  file: ChangelogFile,
  onMalformed: OnMalformed | undefined,
): LineDecoder {
  const inputs = sets.flatMap((set) => set.inputs)
  const tables = inputs.map(({ definition, options }) => ({
    name: definition.name,
    source: { table: options['source.table'] ?? definition.name },
    key: primaryKeyNames(definition.schema),
  }))
  const [only, ...others] = tables
  return new LineDecoder({
    identity: file.identity,
    format: file.format,
    options: file.format && formatOptionsOf(sets, file.format),
    primaryKey: others.length === 0 && only !== undefined && only.key.length > 0 ? only.key : undefined,
    updateEncoding: inputs.find(({ options }) => options['source.update-encoding'] !== 'auto')?.options[
      'source.update-encoding'
    ],
    keyOf: keysByTable(tables),
    onMalformed,
    renameTable: file.isDeadLetters ? sourceNames(tables) : undefined,
  })
}

/** Something that is equal for the changes of one row of one table; undefined where there is no key to go by. */
function keysByTable(tables: readonly DecodedTable[]): (change: Change) => unknown {
  const router = new TableRouter(tables)
  return ({ table, row }) => {
    const [at] = router.route(table)
    const key = at === undefined ? [] : (tables[at]?.key ?? [])
    const values = key.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined))
    return values.length === 0 || values.includes(undefined) ? undefined : toJsonText([at, ...values])
  }
}

/** Dead letters name a table as it was declared, not as the stream calls it. */
function sourceNames(tables: readonly DecodedTable[]): (name: string) => string {
  const names = new Map(tables.map(({ name, source }) => [name, source.table]))
  return (name) => names.get(name) ?? name
}
