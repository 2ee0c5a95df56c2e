import { losslessDigits } from './exact-json.ts'
import { ValueFault } from './value-fault.ts'

/**
 * Compact JSON text of a JavaScript value, exact for bigint and lossless numbers. Bytes become `{"$base64": …}`; members
 * that are undefined are left out. Throws `ValueFault` for what JSON cannot say.
 */
export function toJsonText(value: unknown): string {
  return guardDepth(() => write(value))
}

/** JSON text without blanks; the order of members and the digits of numbers stay as they are. */
export function compactJsonText(text: string): string {
  if (!isJsonText(text)) throw new ValueFault('is text that is not JSON')
  return /[\s\\]/.test(text) ? squeeze(text) : text
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function write(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      if (!Number.isFinite(value)) throw new ValueFault('holds a number that JSON cannot say')
      return JSON.stringify(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'object':
      return value === null ? 'null' : writeObject(value)
    default:
      throw new ValueFault(`holds a ${typeof value}, which is no JSON`)
  }
}

function writeObject(value: object): string {
  if (Array.isArray(value)) return `[${value.map((member) => (member === undefined ? 'null' : write(member))).join()}]`
  const digits = losslessDigits(value)
  if (digits !== undefined) return digits
  if (value instanceof Uint8Array) return `{"$base64":"${Buffer.from(value).toString('base64')}"}`
  if (value instanceof Map) {
    return `{${[...value].map(([key, member]) => `${JSON.stringify(String(key))}:${write(member)}`).join()}}`
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON())
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${write(member)}`)
  }
  return `{${members.join()}}`
}

/** Takes out the blanks between tokens, and writes the escapes of each string in the shortest way. */
function squeeze(text: string): string {
  let compact = ''
  let from = 0
  while (from < text.length) {
    const open = text.indexOf('"', from)
    if (open < 0) return compact + text.slice(from).replace(/\s+/g, '')
    const close = endOfString(text, open)
    const string = text.slice(open, close)
    compact += text.slice(from, open).replace(/\s+/g, '')
    compact += string.includes('\\') ? JSON.stringify(JSON.parse(string)) : string
    from = close
  }
  return compact
}

/** Behind the closing quote; the text is known to be JSON. */
function endOfString(text: string, open: number): number {
  let index = open + 1
  for (let code = text.charCodeAt(index); code !== 34; code = text.charCodeAt(index)) index += code === 92 ? 2 : 1
  return index + 1
}

/** A nesting that overflows the stack is a fault of the value, not of the program. */
function guardDepth(run: () => string): string {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError) throw new ValueFault('is nested too deeply')
    throw error
  }
}
