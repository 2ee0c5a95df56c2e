/**
 * Dates and times from their canonical text (src/row/value.ts) to PostgreSQL's counts: days and microseconds since
 * 2000-01-01. Both calendars are proleptic Gregorian; year 0 of ISO 8601 is PostgreSQL's 1 BC.
 */

const microsPerDay = 86_400_000_000
/** Days from 0000-03-01 to 2000-01-01. */
const epochShift = 730_425

/** Days since 2000-01-01 of `YYYY-MM-DD`, `+YYYYYY-MM-DD` or `-YYYYYY-MM-DD`. */
export function daysOfDate(text: string): number {
  return civilDays(text, dateLength(text))
}

/** Microseconds since midnight of `HH:MM:SS[.ffffff]`. */
export function microsOfTime(text: string): number {
  return clockMicros(text, 0, text.length)
}

/** Days since 2000-01-01 and microseconds within the day of `<date>T<time>[Z]`. */
export function daysAndMicros(text: string): { readonly days: number; readonly micros: number } {
  const length = dateLength(text)
  const end = text.charCodeAt(text.length - 1) === 90 ? text.length - 1 : text.length
  return { days: civilDays(text, length), micros: clockMicros(text, length + 1, end) }
}

/** Microseconds since 2000-01-01T00:00:00, exact. */
export function microsSinceEpoch(days: number, micros: number): bigint {
  return BigInt(days) * BigInt(microsPerDay) + BigInt(micros)
}

function dateLength(text: string): number {
  const first = text.charCodeAt(0)
  return first === 43 || first === 45 ? text.indexOf('-', 1) + 6 : 10
}

function civilDays(text: string, length: number): number {
  const yearEnd = length - 6
  const year = yearEnd === 4 ? digits(text, 0, 4) : Number(text.slice(0, yearEnd))
  const month = digits(text, yearEnd + 1, yearEnd + 3)
  const day = digits(text, yearEnd + 4, yearEnd + 6)
  // years begin in March, so that the leap day is the last one
  const shifted = month > 2 ? year : year - 1
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - epochShift
}

function clockMicros(text: string, start: number, end: number): number {
  const seconds =
    digits(text, start, start + 2) * 3600 + digits(text, start + 3, start + 5) * 60 + digits(text, start + 6, start + 8)
  let micros = 0
  let unit = 100_000
  for (let at = start + 9; at < end && unit >= 1; at++) {
    micros += (text.charCodeAt(at) - 48) * unit
    unit /= 10
  }
  return seconds * 1_000_000 + micros
}

function digits(text: string, start: number, end: number): number {
  let number = 0
  for (let at = start; at < end; at++) number = number * 10 + text.charCodeAt(at) - 48
  return number
}
