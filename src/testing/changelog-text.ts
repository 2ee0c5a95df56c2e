import Big from 'big.js'
import { assert } from '../assert.ts'
import type { Change, ChangelogElement } from '../changelog/element.ts'
import type { DataType } from '../row/data-type.ts'
import { parseRowKind } from '../row/row-kind.ts'
import type { Schema } from '../row/schema.ts'
import type { Value } from '../row/value.ts'

/**
 * A changelog in one line, for tests that are read: `+I 1 a | -U 1 a | +U 1 b | -D 1`.
 *
 * Values stand in the order of the columns and are read by their types: `null` is NULL, `~` is absent, columns left out at
 * the end are absent too; text with blanks or signs is quoted (`'it''s'`), bytes are `0x00ff`, arrays `[a,b,null]`.
 * After the values may stand `#pair=1`, `#group=tx7` and `#at=12` (the offset in partition `''`).
 * Between changes may stand `truncate`, `group-end tx7` and `watermark 5`.
 */
export function parseChangelog(schema: Pick<Schema, 'columns'>, text: string): ChangelogElement[] {
  const elements: ChangelogElement[] = []
  let tokens: string[] = []
  for (const token of [...(text.match(tokenPattern) ?? []), '|']) {
    if (token !== '|') {
      tokens.push(token)
      continue
    }
    if (tokens.length > 0) elements.push(parseElement(schema, tokens))
    tokens = []
  }
  return elements
}

/** As `parseChangelog`, for a text that holds changes only. */
export function parseChanges(schema: Pick<Schema, 'columns'>, text: string): Change[] {
  return parseChangelog(schema, text).map((element) => {
    assert(element.type === undefined || element.type === 'change', `${element.type} is no change`)
    return element
  })
}

/** The text that `parseChangelog` reads back as the same elements. */
export function formatChangelog(schema: Pick<Schema, 'columns'>, changelog: readonly ChangelogElement[]): string {
  return changelog.map((element) => formatElement(schema, element)).join(' | ')
}

const tokenPattern = /'(?:[^']|'')*'|\[(?:'(?:[^']|'')*'|[^\]'])*\]|\||[^\s|]+/g

function parseElement(schema: Pick<Schema, 'columns'>, tokens: readonly string[]): ChangelogElement {
  const [head = '', ...rest] = tokens
  if (head === 'truncate') return { type: 'truncate' }
  if (head === 'group-end') return { type: 'group-end', group: rest[0] }
  if (head === 'watermark') return { type: 'watermark', timestamp: Number(rest[0]) }
  const kind = parseRowKind(head)
  assert(kind !== undefined, `a change begins with +I, -U, +U or -D, not with ${head}`)
  const notes = new Map(rest.filter((token) => token.startsWith('#')).map(splitNote))
  const values = rest.filter((token) => !token.startsWith('#'))
  assert(values.length <= schema.columns.length, `more values than columns: ${tokens.join(' ')}`)
  const row: Record<string, Value | null> = Object.create(null)
  for (const [index, column] of schema.columns.entries()) {
    const token = values[index]
    if (token !== undefined && token !== '~') row[column.name] = parseValue(column.type, token)
  }
  const [pair, at] = [notes.get('pair'), notes.get('at')]
  return {
    kind,
    row,
    ...(pair === undefined ? {} : { pair: Number(pair) }),
    ...(notes.has('group') ? { group: notes.get('group') } : {}),
    ...(at === undefined ? {} : { position: { partition: '', offset: Number(at) } }),
  }
}

function splitNote(token: string): [string, string] {
  const equals = token.indexOf('=')
  assert(equals > 0, `a note is written #name=value, not ${token}`)
  return [token.slice(1, equals), token.slice(equals + 1)]
}

function parseValue(type: DataType, token: string): Value | null {
  if (token === 'null') return null
  switch (type.name) {
    case 'BOOLEAN':
      return token === 'true'
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'FLOAT':
    case 'DOUBLE':
      return Number(token)
    case 'BIGINT':
      return BigInt(token)
    case 'DECIMAL':
      return new Big(token).toFixed(type.scale)
    case 'BINARY':
    case 'VARBINARY':
      return new Uint8Array(Buffer.from(token.slice(2), 'hex'))
    case 'ARRAY':
      return (token.slice(1, -1).match(/'(?:[^']|'')*'|[^,]+/g) ?? []).map((part) => parseValue(type.element, part))
    case 'MAP':
    case 'ROW':
      return assert(false, `${type.name} has no text here`) as never
    default:
      return token.startsWith("'") ? token.slice(1, -1).replaceAll("''", "'") : token
  }
}

function formatElement(schema: Pick<Schema, 'columns'>, element: ChangelogElement): string {
  switch (element.type) {
    case 'truncate':
      return 'truncate'
    case 'group-end':
      return element.group === undefined ? 'group-end' : `group-end ${element.group}`
    case 'watermark':
      return `watermark ${element.timestamp}`
    case 'position':
    case 'schema-change':
      return assert(false, `${element.type} has no text here`) as never
    default:
      return formatChange(schema, element)
  }
}

function formatChange(schema: Pick<Schema, 'columns'>, change: Change): string {
  const values = schema.columns.map(({ name, type }) => {
    const value = change.row[name]
    return value === undefined ? '~' : formatValue(type, value as Value | null)
  })
  while (values.at(-1) === '~') values.pop()
  if (change.pair !== undefined) values.push(`#pair=${change.pair}`)
  if (change.group !== undefined) values.push(`#group=${change.group}`)
  if (change.position !== undefined) values.push(`#at=${String(change.position.offset)}`)
  return [change.kind, ...values].join(' ')
}

function formatValue(type: DataType, value: Value | null): string {
  if (value === null) return 'null'
  if (type.name === 'ARRAY') {
    return `[${(value as readonly (Value | null)[]).map((member) => formatValue(type.element, member)).join(',')}]`
  }
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  assert(typeof value !== 'object', `${type.name} has no text here`)
  const text = String(value)
  const plain = typeof value !== 'string' || (/^[^\s|'[\],~#]+$/.test(text) && text !== 'null')
  return plain ? text : `'${text.replaceAll("'", "''")}'`
}
