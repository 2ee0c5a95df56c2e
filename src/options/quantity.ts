/** A value that was read from text, or what is wrong with the text; the message never repeats the text. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string; readonly fix?: string | undefined }

/** A family of units, e.g. of time. */
export interface Quantity {
  /** With article and examples, for messages. */
  readonly what: string
  /** Unit in lower case to its factor. */
  readonly units: Readonly<Record<string, number>>
  readonly bareUnit: string
  readonly unitList: string
  /** What people write by habit, and what to write here. */
  readonly confusions: Readonly<Record<string, string>>
}

/** Reads digits and a unit as Flink does. */
export function parseQuantity(text: string, quantity: Quantity): Parsed<number> {
  const match = /^(?<digits>\d+)\s*(?<unit>\D.*)?$/s.exec(text.trim())
  if (match === null) return { problem: `is not ${quantity.what}`, fix: formFix(text, quantity) }
  const unit = (match.groups?.['unit'] ?? quantity.bareUnit).toLowerCase()
  if (!Object.hasOwn(quantity.units, unit)) {
    const confusion = Object.hasOwn(quantity.confusions, unit) ? quantity.confusions[unit] : undefined
    return { problem: `is not ${quantity.what}`, fix: confusion ?? formFix(text, quantity) }
  }
  const value = scale(Number(match.groups?.['digits']), quantity.units[unit] ?? 1)
  if (value > Number.MAX_SAFE_INTEGER) return { problem: 'is too large' }
  return { value }
}

function formFix(text: string, quantity: Quantity): string {
  const units = `the units are ${quantity.unitList}`
  if (/^\s*[-+]/.test(text)) return `write it without a sign; ${units}`
  if (/^\s*\d*\.\d/.test(text)) return `write a whole number of a smaller unit; ${units}`
  return `write a whole number and a unit; ${units}`
}

/** Dividing by a whole number is exact where multiplying by 1e-3 is not. */
function scale(count: number, factor: number): number {
  return factor < 1 ? count / Math.round(1 / factor) : count * factor
}
