import type { Command } from 'commander'
import type { ChangelogElement } from '../../changelog/element.ts'
import type { TableDefinition } from '../../ddl/table-definition.ts'
import type { InputRecord } from '../../format/format.ts'
import { StreamDecoder } from '../../format/stream-decoder.ts'
import { ChangelogInspector } from '../../inspect/changelog-inspector.ts'
import { inspectText } from '../../inspect/inspect-text.ts'
import { createRowView } from '../../inspect/row-view.ts'
import type { TableProfileOptions } from '../../inspect/table-profile.ts'
import { toJsonText } from '../../row/json-text.ts'
import { primaryKeyNames } from '../../row/schema.ts'
import { TableRouter } from '../../sink/table-router.ts'
import { type ChangelogFile, openChangelogFile } from '../changelog-file.ts'
import type { CommandContext, Finish } from '../command-context.ts'
import { exitStatus } from '../exit-status.ts'
import { keyColumnsOf } from '../key-columns.ts'
import { loadTables } from '../load-tables.ts'
import { UsageError } from '../usage-error.ts'

interface InspectOptions {
  readonly sink?: string
  readonly table?: string
  readonly key?: string
  readonly sequence?: string
  readonly format?: string
  readonly json?: true
  readonly fold?: true
  readonly emit?: true
}

const examples = `
Examples:
  $ tidegate inspect changes.ndjson                       what is in it, and what to mind
  $ tidegate inspect changes.ndjson --key id              keys, pairs, retractions that match no row
  $ tidegate inspect changes.ndjson --sink orders.sql     key and columns of a DDL file; undeclared columns
  $ tidegate inspect changes.ndjson --key id --sequence updated_at
  $ tidegate inspect changes.ndjson --key id --fold       the rows that are left in the end, one a line
  $ kcat -J … | tidegate inspect - --emit                 every change in one form: {"op":"+U","data":{…}}

Reads files, gzip or not, and - for standard input; keeps the last row of every key in memory.
`

export function addInspectCommand(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command('inspect')
    .description('tell what is in a changelog, without a store')
    .argument('<CHANGES>', 'file of changes, or - for standard input')
    .option('--sink <SINK.sql>', 'DDL file with the key and the columns')
    .option('--table <name>', 'only this table of the DDL file')
    .option('--key <columns>', 'key columns, separated by commas')
    .option('--sequence <columns>', 'columns by which the versions of a key should be in order')
    .option('--format <name>', 'format of the input')
    .option('--json', 'the report as data')
    .option('--fold', 'print the rows that are left in the end')
    .option('--emit', 'print each change in the form of changelog-json')
    .addHelpText('after', examples)
    .action(async (changes: string, options: InspectOptions) => {
      finish(await inspect(context, changes, options))
    })
}

async function inspect(context: CommandContext, path: string, options: InspectOptions): Promise<number> {
  const definitions = options.sink === undefined ? [] : await loadTables(options.sink, options.table)
  const tableFormat = definitions.map((one) => one.options['format']).find((name) => name !== undefined)
  const file = await openChangelogFile(path, { stdin: context.stdin, format: options.format, tableFormat })
  const tables = new TableKnowledge(definitions, options)
  if (options.emit === true) return await emitChanges(context, file, tables)
  const inspector = new ChangelogInspector({ name: file.name, tableOf: (name) => tables.of(name) })
  const { lines, records } = await readAll(file, tables, 'update', inspector)
  if (options.fold === true) return await printRows(context, inspector)
  const seen = file.format === undefined ? null : (file.seen ?? null)
  const report = inspector.report({ format: { name: file.format?.name ?? null, seen }, lines, records })
  if (options.json === true) await context.stdout.line(JSON.stringify(report, undefined, 2))
  else await context.stdout.write(inspectText(report, context.stdout.style))
  return exitStatus.done
}

/** What the call, the DDL and the records themselves say of each table of the stream. */
class TableKnowledge {
  /** The record that is being decoded. */
  record: InputRecord | undefined
  readonly key: readonly string[] | undefined
  readonly #sequence: readonly string[] | undefined
  readonly #definitions: readonly TableDefinition[]
  readonly #router: TableRouter

  constructor(definitions: readonly TableDefinition[], options: InspectOptions) {
    this.#definitions = definitions
    this.#sequence = namesIn(options.sequence)
    this.key = namesIn(options.key)
    this.#router = new TableRouter(
      definitions.map((one) => ({ source: { table: one.options['source.table'] ?? one.name } })),
    )
  }

  /** The key of the only table, for decoders that complete changes by it. */
  get primaryKey(): readonly string[] | undefined {
    const [only, ...others] = this.#definitions
    if (this.key !== undefined) return this.key
    return only === undefined || others.length > 0 ? undefined : keyOf(only)
  }

  /** Undefined for a table that the DDL does not declare. */
  of(name: string | undefined): TableProfileOptions | undefined {
    const sequence = this.#sequence
    if (this.#definitions.length > 0) {
      const [at] = this.#router.route(name)
      const definition = at === undefined ? undefined : this.#definitions[at]
      if (definition === undefined) return undefined
      const key = this.key ?? keyOf(definition)
      return { name: definition.name, schema: definition.schema, key, keySource: this.#source('ddl'), sequence }
    }
    const key = this.key ?? (this.record && keyColumnsOf(this.record))
    return { name: name ?? null, key, keySource: this.#source('input'), sequence }
  }

  #source(otherwise: 'ddl' | 'input'): 'option' | 'ddl' | 'input' {
    return this.key === undefined ? otherwise : 'option'
  }
}

function keyOf({ schema }: TableDefinition): readonly string[] | undefined {
  const names = primaryKeyNames(schema)
  return names.length === 0 ? undefined : names
}

function namesIn(list: string | undefined): readonly string[] | undefined {
  const names = list?.split(',').map((name) => name.trim())
  if (names?.some((name) => name === '')) throw new UsageError(`a column list is not whole: ${list}`)
  return names
}

/** Decodes the whole input into the inspector. */
async function readAll(
  file: ChangelogFile,
  tables: TableKnowledge,
  updateEncoding: 'update' | 'auto',
  inspector: Pick<ChangelogInspector, 'add' | 'malformed'>,
  afterBatch?: () => Promise<void>,
): Promise<{ readonly lines: number; readonly records: number }> {
  const decoder = new StreamDecoder({
    format: file.format,
    primaryKey: tables.primaryKey,
    updateEncoding,
    onMalformed: (error, { record }) => inspector.malformed(error, record),
  })
  const add = (element: ChangelogElement): void => inspector.add(element)
  let lines = 0
  for await (const batch of file.records()) {
    for (const record of batch) {
      tables.record = record
      lines = record.record ?? lines
      decoder.decode(record, add)
    }
    await afterBatch?.()
  }
  decoder.end(add)
  await afterBatch?.()
  return { lines, records: decoder.recordCount }
}

async function printRows(context: CommandContext, inspector: ChangelogInspector): Promise<number> {
  const profiles = inspector.profiles()
  for (const { options, histories } of profiles) {
    if (histories === undefined) {
      throw new UsageError('without a key there are no rows to fold', 'name the key: --key id, or --sink SINK.sql')
    }
    for (const row of histories.rows()) {
      await context.stdout.line(toJsonText(profiles.length > 1 ? { table: options.name, row } : row))
    }
  }
  return exitStatus.done
}

/** One form for every format; a record that cannot be read is told of, and passed over. */
async function emitChanges(context: CommandContext, file: ChangelogFile, tables: TableKnowledge): Promise<number> {
  let lines: string[] = []
  let malformed = 0
  const emitter = {
    add: (element: ChangelogElement) => lines.push(...elementLines(element, tables)),
    malformed: (error: Error) => {
      malformed++
      context.stderr.note(`${file.name}: ${error.message}`)
    },
  }
  await readAll(file, tables, 'auto', emitter, async () => {
    const text = lines.map((line) => `${line}\n`).join('')
    lines = []
    if (text !== '') await context.stdout.write(text)
  })
  return malformed === 0 ? exitStatus.done : exitStatus.failed
}

function elementLines(element: ChangelogElement, tables: TableKnowledge): string[] {
  switch (element.type) {
    case undefined:
    case 'change': {
      const known = tables.of(element.table)
      if (known === undefined) return []
      const { kind, table, group, record } = element
      return [toJsonText({ op: kind, data: createRowView(known.schema)(element), table, group, line: record })]
    }
    case 'group-end':
      return [toJsonText({ groupEnd: element.group ?? true })]
    case 'watermark':
      return [toJsonText({ watermark: element.timestamp })]
    case 'truncate':
      return [toJsonText({ truncate: element.table ?? true, group: element.group })]
    default:
      return []
  }
}
