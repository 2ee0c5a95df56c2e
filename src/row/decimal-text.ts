import Big from 'big.js'
import { ValueFault } from './value-fault.ts'

/**
 * The canonical text of a DECIMAL(precision, scale). Zeros beyond the scale are dropped; any other digit there, and a
 * whole part too long, is refused, where Flink would round (HALF_UP) or write NULL without a word.
 */
export function toDecimalText(text: string, precision: number, scale: number): string {
  return plainDecimal(text, precision - scale, scale) ?? normalizeDecimal(text, precision, scale)
}

/** Base64 of a big-endian two's complement, the point `scale` digits from the right (Kafka Connect's Decimal). */
export function unscaledDecimalText(base64: string, scale: number): string {
  const hex = Buffer.from(base64, 'base64').toString('hex')
  const unscaled = hex === '' ? 0n : BigInt.asIntN(hex.length * 4, BigInt(`0x${hex}`))
  const negative = unscaled < 0n
  const digits = (negative ? -unscaled : unscaled).toString()
  const sign = negative ? '-' : ''
  if (scale <= 0) return digits === '0' ? '0' : sign + digits + '0'.repeat(-scale)
  const padded = digits.padStart(scale + 1, '0')
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

export function isDecimalText(text: string): boolean {
  return decimalPattern.test(text)
}

const decimalPattern = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/

/** Plain notation that needs at most zeros at its end; undefined for anything else. */
function plainDecimal(text: string, wholeMax: number, scale: number): string | undefined {
  const { length } = text
  const start = text.charCodeAt(0) === 45 ? 1 : 0
  let nonZero = false
  let index = start
  for (; index < length; index++) {
    const digit = text.charCodeAt(index) - 48
    if (digit < 0 || digit > 9) break
    if (digit !== 0) nonZero = true
  }
  const whole = index - start
  if (whole === 0 || (whole > 1 && text.charCodeAt(start) === 48)) return undefined
  if (whole > wholeMax && !(whole === 1 && text.charCodeAt(start) === 48)) return undefined
  let fraction = 0
  if (index < length) {
    if (text.charCodeAt(index) !== 46) return undefined
    for (index++; index < length; index++, fraction++) {
      const digit = text.charCodeAt(index) - 48
      if (digit < 0 || digit > 9) return undefined
      if (digit !== 0) nonZero = true
    }
    if (fraction === 0) return undefined
  }
  if (fraction > scale || (start === 1 && !nonZero)) return undefined
  if (fraction === scale) return text
  return (fraction === 0 ? `${text}.` : text) + '0'.repeat(scale - fraction)
}

function normalizeDecimal(text: string, precision: number, scale: number): string {
  if (!decimalPattern.test(text)) throw new ValueFault('is not a decimal number')
  const value = Big(
    text
      .trim()
      .replace(/^\+/, '')
      .replace(/\.(?=$|[eE])/, ''),
  )
  const isZero = value.c[0] === 0
  const wholeDigits = isZero || value.e < 0 ? 0 : value.e + 1
  if (wholeDigits > precision - scale) {
    throw new ValueFault(
      `has more than ${precision - scale} digits before the point, DECIMAL(${precision}, ${scale}) does not hold it`,
    )
  }
  if (!isZero && value.c.length - 1 - value.e > scale) {
    throw new ValueFault(
      `has more than ${scale} digits after the point, and DECIMAL(${precision}, ${scale}) would round it`,
    )
  }
  const fixed = value.toFixed(scale)
  return isZero && fixed.startsWith('-') ? fixed.slice(1) : fixed
}
