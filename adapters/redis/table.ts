import type { Contribution, MergeChange } from '../../src/merge/merge-change.ts'
import type { StoredColumn } from '../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { type Coercion, createCoercion } from '../../src/row/coerce.ts'
import type { Row } from '../../src/row/row.ts'
import type { Value } from '../../src/row/value.ts'
import type { RedisArgument } from './client.ts'
import { createKeyTemplate, type KeyTemplate } from './key-template.ts'
import { templateOf } from './plan-problems.ts'
import { mergesInScript, putSpec, scoreMax, scriptSpec, storedPositions, type ValueFormat } from './table-spec.ts'
import { UnsendableValue, type ValueCodec, valueCodec } from './type-mapping.ts'

/** A table of the domain, ready to be written: its keys, and its changes as words and values for the script. */
export interface RedisTable {
  readonly plan: TablePlan
  readonly format: ValueFormat
  readonly template: KeyTemplate
  /** Specs for the script, as JSON: of changes that it merges, and of rows that are put back. */
  readonly specs: { readonly script: string; readonly put: string }
  /** Does the script merge the changes, save moves? */
  readonly mergesInScript: boolean
  /** Stored columns in the order of the specs' fields. */
  readonly positions: readonly number[]
  readonly codecs: readonly ValueCodec[]
  /** How the members of a JSON row are read. */
  readonly coercions: readonly Coercion[]
  /** Of a sorted set: the key column whose value is the member. */
  readonly memberColumn: number | undefined
}

export function prepareTable(plan: TablePlan): RedisTable {
  const format = plan.connectorOptions['value.format'] as ValueFormat
  const template = createKeyTemplate(templateOf(plan), plan.schema)
  const positions = storedPositions(plan.merge)
  return {
    plan,
    format,
    template,
    specs: { script: JSON.stringify(scriptSpec(plan)), put: JSON.stringify(putSpec(plan)) },
    mergesInScript: mergesInScript(plan),
    positions,
    codecs: positions.map((at) => {
      const { type } = plan.merge.columns[at] as StoredColumn
      return format === 'sorted-set' && !plan.merge.key.includes(at) ? scoreCodec(type) : valueCodec(type)
    }),
    coercions: positions.map((at) => createCoercion((plan.merge.columns[at] as StoredColumn).type)),
    memberColumn: format === 'sorted-set' ? plan.merge.key.find((at) => !template.columns.includes(at)) : undefined,
  }
}

/** A change in the form that the script reads: a word, the member of a sorted set, the values. Throws `UnsendableValue`. */
export function encodeChange(table: RedisTable, change: MergeChange): RedisArgument[] {
  const args: RedisArgument[] = ['', ...memberOf(table, change.row)]
  const onlyKey = change.op === 'delete' && table.plan.merge.engine === 'deduplicate'
  let letters = ''
  for (let index = 0; index < table.positions.length; index++) {
    const position = table.positions[index] as number
    const value = onlyKey && isPayload(table, position) ? undefined : change.row[position]
    letters += letterOf(value)
    const sent = isCleared(value) ? value.value : value
    if (sent !== undefined && sent !== null) args.push((table.codecs[index] as ValueCodec).encode(sent as Value))
  }
  args[0] = `${opOf(change)}${change.replace ? '+' : '-'}${letters}`
  return args
}

/** Columns of a deleted row that the store has no use for. */
function isPayload({ plan: { merge } }: RedisTable, position: number): boolean {
  return !merge.key.includes(position) && merge.sequence?.columns.includes(position) !== true
}

function opOf({ op, ungated }: MergeChange): string {
  switch (op) {
    case 'upsert':
      return 'u'
    case 'retract':
      return 'r'
    case 'insert':
      return 'i'
    case 'delete':
      return ungated === true ? 'x' : 'd'
  }
}

function letterOf(value: Contribution): string {
  if (value === undefined) return '-'
  if (value === null) return 'n'
  if (!isCleared(value)) return 'v'
  if (value.value === undefined) return 'c'
  return value.value === null ? 'N' : 'C'
}

function isCleared(value: Contribution): value is Extract<Contribution, { readonly cleared: true }> {
  return typeof value === 'object' && value !== null && 'cleared' in value
}

/** The row of a hash, a string or a sorted set as `encodeChange` writes it, with every column. Throws `UnsendableValue`. */
export function encodeWholeRow(
  table: RedisTable,
  row: Row,
): { readonly letters: string; readonly args: RedisArgument[] } {
  const args: RedisArgument[] = []
  let letters = ''
  const { deletedFlag, declaredCount } = table.plan.merge
  for (const [index, position] of table.positions.entries()) {
    const value = row[position] ?? null
    // a reader of the hash sees no flag on a row that is there
    const isPlain = position === deletedFlag && position >= declaredCount && value === false
    letters += value === null || isPlain ? 'n' : 'v'
    if (value !== null && !isPlain) args.push((table.codecs[index] as ValueCodec).encode(value))
  }
  return { letters, args }
}

export function memberOf({ memberColumn, positions, codecs }: RedisTable, row: MergeChange['row']): RedisArgument[] {
  if (memberColumn === undefined) return []
  const codec = codecs[positions.indexOf(memberColumn)] as ValueCodec
  return [codec.encode(row[memberColumn] as Value)]
}

/** A score is a double: whole numbers are exact up to 2^53, and there is none that is no number. */
function scoreCodec(type: StoredColumn['type']): ValueCodec {
  const { decode } = valueCodec(type)
  return {
    encode: (value) => {
      const isTooLarge = typeof value === 'bigint' && (value > scoreMax || value < -scoreMax)
      if (isTooLarge) throw new UnsendableValue('a score keeps whole numbers up to 2^53')
      if (Number.isNaN(value)) throw new UnsendableValue('a score cannot be NaN')
      return String(value)
    },
    decode,
  }
}
