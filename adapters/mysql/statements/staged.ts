import { must } from '../../../src/assert.ts'
import { quoteIdentifier, quoteQualified } from '../identifier.ts'
import type { Target } from '../target.ts'

/**
 * Values travel as one JSON document, the only parameter of each statement: an array with an array a row, whose members are
 * the texts of `positions`. So values never become SQL text, one prepared statement serves batches of any size, and no
 * number passes through a double.
 */
export function stagedRows(positions: readonly number[]): string {
  const members = positions.map((at, place) => `${member(at)} LONGTEXT CHARACTER SET utf8mb4 PATH '$[${place}]'`)
  return `JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, ${members.join(', ')})) AS s`
}

/** The staged text of a column. */
export function staged(at: number): string {
  return `s.${member(at)}`
}

function member(at: number): string {
  return `c${at}`
}

export function quotedName(target: Target, at: number): string {
  return quoteIdentifier(columnAt(target, at).name)
}

/** The stored value, where the staged rows may have a column of the same name. */
export function storedName(target: Target, at: number): string {
  return `${tableName(target)}.${quotedName(target, at)}`
}

export function tableName(target: Target): string {
  return quoteQualified(target.name)
}

/** The staged value as it is assigned to its column. */
export function storedValue(target: Target, at: number): string {
  return columnAt(target, at).codec.store(staged(at))
}

/** Rows of `t` by their keys, found by the primary index whatever the optimizer thinks of the table's size. */
export function joinedByKey(target: Target, key: readonly number[]): string {
  const conditions = key.map((at) => `t.${quotedName(target, at)} = ${columnAt(target, at).codec.compare(staged(at))}`)
  return `STRAIGHT_JOIN ${tableName(target)} AS t FORCE INDEX (PRIMARY) ON ${conditions.join(' AND ')}`
}

export function columnAt(target: Target, at: number): Target['columns'][number] {
  return must(target.columns[at], 'a stored column')
}
