import { isLosslessNumber, LosslessNumber, parse } from 'lossless-json'

/**
 * As `JSON.parse`, without a number ever losing a digit: a whole number beyond 2^53 becomes a bigint, any other that a
 * double would change a `LosslessNumber`. A member named `__proto__` is one like any other. Throws `SyntaxError`, and
 * `RangeError` for a nesting that overflows the stack.
 */
export function parseExact(text: string): unknown {
  return mayLoseDigits.test(text) ? parse(text, null, losslessOptions) : JSON.parse(text)
}

/** Where a text stops being JSON, counted from 0; undefined if it cannot be told. The engine's own messages quote the text. */
export function jsonFaultPosition(text: string): number | undefined {
  try {
    parse(text, null, losslessOptions)
    return undefined
  } catch (error) {
    const position = error instanceof SyntaxError ? /at position (\d+)$/.exec(error.message)?.[1] : undefined
    return position === undefined ? undefined : Number(position)
  }
}

/** The digits of a number that `parseExact`, or another lossless-json, has kept as text; undefined for anything else. */
export function losslessDigits(value: unknown): string | undefined {
  return isLosslessNumber(value) ? value.value : undefined
}

/**
 * A number of more than 15 digits (16, if the first is not a 9: all below 2^53) or with an exponent of three digits, where
 * a number can stand. Text that looks like one only costs time.
 */
const mayLoseDigits = /(?:^|[:,[\s])-?(?:9\d{15}|\d[\d.]{16}|[\d.]+[eE][+-]?\d{3})/

const losslessOptions = {
  parseNumber: exactNumber,
  // as JSON.parse: the last of equal names stays
  onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue,
}

function exactNumber(text: string): number | bigint | LosslessNumber {
  if (/^-?\d+$/.test(text)) {
    const value = Number(text)
    return Number.isSafeInteger(value) ? value : BigInt(text)
  }
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e')
  // up to 15 significant digits survive the way through a double and back
  const isExact = digits.replace(/^-?[0.]*|\./g, '').length <= 15 && Math.abs(Number(exponent)) < 290
  return isExact ? Number(text) : new LosslessNumber(text)
}
