import type { JsonObject } from './parse-record.ts'

/** Debezium's mark for a value that the source did not log, e.g. an unchanged TOAST column. */
export const defaultPlaceholder = '__debezium_unavailable_value'

/**
 * Drops the members that hold the placeholder: they are absent, not null. Recognised as text, as bytes in Base64 or hex, as
 * the only element of an array, and as hstore (a map or its JSON text).
 */
export function createPlaceholderFilter(placeholder: string): (row: JsonObject) => JsonObject {
  const bytes = Buffer.from(placeholder)
  const texts = new Set([
    placeholder,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    JSON.stringify({ [placeholder]: placeholder }),
  ])
  const isPlaceholder = (value: unknown): boolean => {
    if (typeof value === 'string') return texts.has(value)
    if (typeof value !== 'object' || value === null) return false
    if (Array.isArray(value)) return value.length === 1 && texts.has(value[0])
    const names = Object.keys(value)
    return names.length === 1 && names[0] === placeholder
  }
  return (row) => {
    let found = false
    for (const name in row) if (isPlaceholder(row[name])) found = true
    return found ? Object.fromEntries(Object.entries(row).filter(([, value]) => !isPlaceholder(value))) : row
  }
}
