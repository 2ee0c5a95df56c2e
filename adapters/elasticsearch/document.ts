import { must } from '../../src/assert.ts'
import type { ContributionRow } from '../../src/merge/merge-change.ts'
import type { MergePlan } from '../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import type { DataType } from '../../src/row/data-type.ts'
import { keyText } from '../../src/row/row-key.ts'
import type { Value } from '../../src/row/value.ts'

/** JSON text of a canonical value as documents hold it. Numbers are digits, never a double that would round them. */
export type ValueText = (value: Value) => string

export function createValueText(type: DataType): ValueText {
  switch (type.name) {
    case 'BOOLEAN':
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
      return String
    case 'FLOAT':
    case 'DOUBLE':
      return (value) => (Number.isFinite(value) ? String(value) : `"${value}"`)
    case 'BINARY':
    case 'VARBINARY':
      return (value) => `"${Buffer.from(value as Uint8Array).toString('base64')}"`
    case 'DECIMAL':
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
    case 'UUID':
      // canonical text of these holds nothing to be escaped
      return (value) => `"${value as string}"`
    case 'CHAR':
    case 'VARCHAR':
    case 'JSON':
      return (value) => JSON.stringify(value)
    case 'ARRAY': {
      const element = createValueText(type.element)
      return (value) => `[${(value as readonly (Value | null)[]).map((member) => nullable(element, member)).join()}]`
    }
    case 'MAP': {
      const member = createValueText(type.value)
      return (value) =>
        `{${[...(value as ReadonlyMap<Value, Value | null>)]
          .map(([key, one]) => `${JSON.stringify(keyText(type.key, key))}:${nullable(member, one)}`)
          .join()}}`
    }
    case 'ROW': {
      const fields = type.fields.map((field) => ({
        name: JSON.stringify(field.name),
        text: createValueText(field.type),
      }))
      return (value) =>
        `{${fields
          .map(
            ({ name, text }, index) => `${name}:${nullable(text, (value as readonly (Value | null)[])[index] ?? null)}`,
          )
          .join()}}`
    }
  }
}

function nullable(text: ValueText, value: Value | null): string {
  return value === null ? 'null' : text(value)
}

/** The members of a document, without its braces. */
export type MembersText = (row: ContributionRow) => string

/** The columns at `positions`; one that is absent is left out, or is null if `absentAsNull`. */
export function createMembersText(
  { columns }: Pick<MergePlan, 'columns'>,
  positions: readonly number[],
  { absentAsNull }: { readonly absentAsNull: boolean },
): MembersText {
  const members = positions.map((position) => {
    const { name, type } = must(columns[position], 'a stored column')
    return { position, prefix: `${JSON.stringify(name)}:`, text: createValueText(type) }
  })
  return (row) => {
    let document = ''
    for (const { position, prefix, text } of members) {
      const value = row[position]
      if (value === undefined && !absentAsNull) continue
      const member = value === undefined || value === null ? 'null' : text(value as Value)
      document += document === '' ? prefix + member : `,${prefix}${member}`
    }
    return document
  }
}

/** Half of a surrogate pair cannot be sent as UTF-8: it would arrive as another character. */
export function isSendable(text: string): boolean {
  return !text.includes('\\ud') || !halfPair.test(text)
}

/** `JSON.stringify` writes a half as an escape, and a backslash of the text as two. */
const halfPair = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

/** A row from a document, as canonical values of the declared columns. */
export type DocumentReader = (source: Readonly<Record<string, unknown>>) => Readonly<Record<string, Value | null>>

export function createDocumentReader({ schema, merge }: Pick<TablePlan, 'schema' | 'merge'>): DocumentReader {
  const columns = schema.columns.map(({ name, type }, position) => ({
    name,
    field: must(merge.columns[position], 'a stored column').name,
    coerce: createCoercion(type),
  }))
  return (source) => {
    const row: Record<string, Value | null> = Object.create(null)
    for (const { name, field, coerce } of columns) {
      const raw = Object.hasOwn(source, field) ? source[field] : undefined
      row[name] = raw === undefined || raw === null ? null : coerce(raw)
    }
    return row
  }
}
