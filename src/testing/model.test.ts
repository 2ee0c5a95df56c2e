import { readFileSync } from 'node:fs'
import Big from 'big.js'
import { describe, expect, test } from 'vitest'
import type { Change } from '../changelog/element.ts'
import type { DataType } from '../row/data-type.ts'
import type { RowKind } from '../row/row-kind.ts'
import { createSchema } from '../row/schema.ts'
import type { Value } from '../row/value.ts'
import { model } from './model.ts'
import type { ModelTable } from './model-rules.ts'

interface PaimonCase {
  readonly id: string
  readonly mergeEngine: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly primaryKey: readonly string[]
  readonly options?: Readonly<Record<string, string>>
  readonly sequenceField?: readonly string[]
  readonly sequenceGroups?: readonly { readonly sequence: readonly string[]; readonly columns: readonly string[] }[]
  readonly aggregateFunctions?: Readonly<Record<string, string>>
  readonly defaultAggregateFunction?: string
  readonly ignoreRetract?: readonly string[]
  readonly quirk?: boolean
  readonly quirkColumns?: readonly string[]
  readonly expectConfigError?: string
  readonly steps: readonly PaimonStep[]
}

interface PaimonStep {
  readonly kind: RowKind
  readonly row: readonly unknown[]
  readonly expect?: { readonly visible: boolean; readonly row?: readonly unknown[] }
  readonly expectError?: string
}

const file = new URL('../merge/fixtures/paimon-cases.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly PaimonCase[] }

describe('the model agrees with Paimon', () => {
  for (const given of cases.filter(({ expectConfigError }) => expectConfigError === undefined)) {
    test(`${given.id}${given.quirk === true ? ' (an artefact of Paimon, not copied)' : ''}`, () => {
      const table = tableOf(given)
      const differing: number[] = []
      for (const [index, step] of given.steps.entries()) {
        const { rows, rejected } = model(
          table,
          given.steps.slice(0, index + 1).map((taken) => changeOf(table, taken)),
        )
        if (step.expectError !== undefined) expect(rejected.at(-1)?.index).toBe(index)
        if (step.expect === undefined) continue
        const expected = step.expect.visible ? [visible(table, given, step.expect.row ?? [])] : []
        const actual = rows.map((row) =>
          visible(
            table,
            given,
            table.schema.columns.map(({ name }) => row[name]),
          ),
        )
        if (given.quirk !== true) expect(actual, `after step ${index + 1}`).toEqual(expected)
        else if (JSON.stringify(actual) !== JSON.stringify(expected)) differing.push(index)
      }
      if (given.quirk === true) expect(differing).not.toEqual([])
    })
  }
})

function tableOf(given: PaimonCase): ModelTable {
  const columns = given.columns.map(({ name, type }) => ({
    name,
    type: typeOf(type.replace(' NOT NULL', '')),
    nullable: !type.endsWith('NOT NULL'),
  }))
  const options: Record<string, string> = { 'merge-engine': given.mergeEngine, ...given.options }
  if (given.sequenceField !== undefined) options['sequence.field'] = given.sequenceField.join(',')
  for (const { sequence, columns: protectedColumns } of given.sequenceGroups ?? []) {
    options[`fields.${sequence.join(',')}.sequence-group`] = protectedColumns.join(',')
  }
  for (const [column, name] of Object.entries(given.aggregateFunctions ?? {})) {
    options[`fields.${column}.aggregate-function`] = name
  }
  if (given.defaultAggregateFunction !== undefined) {
    options['fields.default-aggregate-function'] = given.defaultAggregateFunction
  }
  for (const column of given.ignoreRetract ?? []) options[`fields.${column}.ignore-retract`] = 'true'
  // Paimon hides a row on any trailing -U, whatever it holds
  if (given.mergeEngine === 'deduplicate') options['sink.ignore.update-before'] = 'false'
  return { schema: createSchema(columns, given.primaryKey), options }
}

function typeOf(text: string): DataType {
  const [, name = '', first, second] = /^(\w+)(?:[(<](\w+)(?:,(\d+))?[)>])?$/.exec(text) ?? []
  switch (name) {
    case 'DECIMAL':
      return { name, precision: Number(first), scale: Number(second) }
    case 'STRING':
      return { name: 'VARCHAR', length: undefined }
    case 'TIMESTAMP':
      return { name, precision: Number(first) }
    case 'ARRAY':
      return { name, element: typeOf(first ?? '') }
    default:
      return { name: name as 'INT' }
  }
}

function changeOf(table: ModelTable, step: PaimonStep): Change {
  const row: Record<string, Value | null> = {}
  for (const [index, { name, type }] of table.schema.columns.entries()) row[name] = canonical(type, step.row[index])
  return { kind: step.kind, row }
}

function canonical(type: DataType, raw: unknown): Value | null {
  if (raw === null || raw === undefined) return null
  if (type.name === 'BIGINT') return BigInt(raw as string)
  if (type.name === 'DECIMAL') return new Big(raw as string).toFixed(type.scale)
  if (type.name === 'TIMESTAMP') {
    const [seconds = '', fraction = ''] = String(raw).split('.')
    const full = seconds.length === 16 ? `${seconds}:00` : seconds
    return type.precision === 0 ? full : `${full}.${fraction.padEnd(type.precision, '0')}`
  }
  return raw as Value
}

/** Without the columns whose expectation is an artefact; the order of an array does not count. */
function visible(table: ModelTable, given: PaimonCase, row: readonly unknown[]): unknown[] {
  return table.schema.columns.flatMap(({ name, type }, index) => {
    if (given.quirkColumns?.includes(name) === true) return []
    const value = canonical(type, row[index])
    return [Array.isArray(value) ? value.toSorted() : value]
  })
}
