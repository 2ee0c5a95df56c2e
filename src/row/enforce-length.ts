import type { DataType } from './data-type.ts'
import type { Value } from './value.ts'
import { ValueFault } from './value-fault.ts'

/** `sink.type-length-enforcer`: what becomes of text or bytes that do not have the declared length. */
export type LengthEnforcer = 'ignore' | 'trim_pad' | 'error'

/**
 * CHAR, VARCHAR, BINARY and VARBINARY by their declared length, in code points or bytes, as Flink's
 * `table.exec.sink.type-length-enforcer`: `trim_pad` cuts what is too long and fills CHAR with blanks and BINARY with
 * zeros; `error` throws a `ValueFault` for what is too long. Other types pass.
 */
export function enforceLength(type: DataType, value: Value, mode: LengthEnforcer): Value {
  if (mode === 'ignore') return value
  switch (type.name) {
    case 'CHAR':
    case 'VARCHAR':
      return type.length === undefined ? value : enforceText(type.name, type.length, value as string, mode)
    case 'BINARY':
    case 'VARBINARY':
      return type.length === undefined ? value : enforceBytes(type.name, type.length, value as Uint8Array, mode)
    default:
      return value
  }
}

function enforceText(name: 'CHAR' | 'VARCHAR', length: number, text: string, mode: LengthEnforcer): string {
  // a code point takes one or two units, so short text is never too long and needs no counting
  const points = text.length <= length && name === 'VARCHAR' ? text.length : countCodePoints(text)
  if (points > length) {
    if (mode === 'error') throw new ValueFault(`has ${points} characters, ${name}(${length}) holds ${length}`)
    return [...text].slice(0, length).join('')
  }
  return mode === 'trim_pad' && name === 'CHAR' ? text + ' '.repeat(length - points) : text
}

function enforceBytes(
  name: 'BINARY' | 'VARBINARY',
  length: number,
  bytes: Uint8Array,
  mode: LengthEnforcer,
): Uint8Array {
  if (bytes.length > length) {
    if (mode === 'error') throw new ValueFault(`has ${bytes.length} bytes, ${name}(${length}) holds ${length}`)
    return bytes.subarray(0, length)
  }
  if (mode !== 'trim_pad' || name !== 'BINARY' || bytes.length === length) return bytes
  const padded = new Uint8Array(length)
  padded.set(bytes)
  return padded
}

function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
