import type { TimeUnit } from './value-encoding.ts'
import { ValueFault } from './value-fault.ts'

/**
 * The canonical text of a TIMESTAMP(precision) (`zoned` false) or TIMESTAMP_LTZ(precision). Digits of the fraction beyond
 * the precision are cut, as Flink's cast does; UTC (`Z`, `+00`) is dropped from a TIMESTAMP; any other offset there, and a
 * missing one in a TIMESTAMP_LTZ, is refused, because only the producer knows which zone it meant.
 */
export function toTimestampText(text: string, precision: number, zoned: boolean): string {
  return plainTimestamp(text, precision, zoned) ?? parsedTimestamp(text, precision, zoned)
}

/** The canonical text of an instant that is counted from 1970-01-01T00:00:00Z. */
export function timestampFromEpoch(count: number | bigint, unit: TimeUnit, precision: number, zoned: boolean): string {
  const { seconds, nanos } = splitCount(count, unit)
  return instantText(seconds, fractionOf(nanos), precision, zoned)
}

/** The canonical text of a DATE; a time of day is taken only at midnight. */
export function toDateText(text: string): string {
  if (text.length === 10 && isPlainDate(text)) return text
  const parts = timestampPattern.exec(text.trim())
  if (parts === null) throw new ValueFault(`is not a date${hintOf(text)}`)
  const { days, secondOfDay, fraction, offset } = partsOf(parts)
  if (secondOfDay !== 0 || /[1-9]/.test(fraction)) throw new ValueFault('has a time of day, which a DATE does not hold')
  if (offset) throw new ValueFault(offsetReason)
  return dateText(days)
}

export function dateFromEpochDays(days: number | bigint): string {
  if (typeof days === 'number' ? !Number.isSafeInteger(days) : days > maxDays || days < -maxDays) {
    throw new ValueFault('is out of the range of dates')
  }
  return dateText(Number(days))
}

/** The canonical text of a TIME(precision). */
export function toTimeText(text: string, precision: number): string {
  const parts = timePattern.exec(text.trim())
  if (parts === null) throw new ValueFault('is not a time of day')
  if (offsetSeconds(parts[5])) throw new ValueFault(offsetReason)
  const second = secondOfDayOf(parts[1], parts[2], parts[3])
  return timeText(second) + fractionText(parts[4] ?? '', precision)
}

/** The canonical text of a time of day that is counted from midnight. */
export function timeFromMidnight(count: number | bigint, unit: TimeUnit, precision: number): string {
  const { seconds, nanos } = splitCount(count, unit)
  if (seconds < 0 || seconds >= daySeconds) throw new ValueFault('is not within a day')
  return timeText(seconds) + fractionText(fractionOf(nanos), precision)
}

/** The unit that goes with a precision in Debezium's adaptive mode. */
export function unitByPrecision(precision: number): TimeUnit {
  return precision <= 3 ? 'millis' : precision <= 6 ? 'micros' : 'nanos'
}

const daySeconds = 86400
const maxDays = 4_000_000_000n
const perSecond = { seconds: 1, millis: 1_000, micros: 1_000_000, nanos: 1_000_000_000 } as const
const offsetReason = 'has an offset from UTC, which its type does not hold; declare TIMESTAMP_LTZ, or send it in UTC'
const zonePart = String.raw`\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)?`
const timePart = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?`
const timePattern = new RegExp(`^${timePart}${zonePart}$`, 'i')
const timestampPattern = new RegExp(
  String.raw`^([+-]\d{4,7}|\d{4,7})-(\d{2})-(\d{2})(?:(?:T|\s+)${timePart})?${zonePart}(\s+BC)?$`,
  'i',
)

/** The usual `YYYY-MM-DD HH:MM:SS[.f…]` with a blank or T, without another zone than Z; undefined for anything else. */
function plainTimestamp(text: string, precision: number, zoned: boolean): string | undefined {
  const { length } = text
  if (length < 19 || !isPlainDate(text)) return undefined
  const separator = text.charCodeAt(10)
  if (separator !== 84 && separator !== 32) return undefined
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return undefined
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return undefined
  const hasZone = text.charCodeAt(length - 1) === 90
  if (zoned && !hasZone) return undefined
  const end = hasZone ? length - 1 : length
  if (end > 19 && !isFraction(text, 19, end)) return undefined
  const given = end > 19 ? end - 20 : 0
  if (separator === 84 && given === precision && hasZone === zoned) return text
  const fraction = fractionText(text.slice(20, end), precision)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}${zoned ? 'Z' : ''}`
}

function parsedTimestamp(text: string, precision: number, zoned: boolean): string {
  const parts = timestampPattern.exec(text.trim())
  if (parts === null) throw new ValueFault(`is not a timestamp${hintOf(text)}`)
  const { days, secondOfDay, fraction, offset } = partsOf(parts)
  if (zoned && offset === undefined) {
    throw new ValueFault('has no time zone; send it in UTC with Z or with an offset, or declare TIMESTAMP')
  }
  if (!zoned && offset) throw new ValueFault(offsetReason)
  return instantText(days * daySeconds + secondOfDay - (offset ?? 0), fraction, precision, zoned)
}

interface TimestampParts {
  readonly days: number
  readonly secondOfDay: number
  readonly fraction: string
  /** Seconds east of UTC; undefined without a zone. */
  readonly offset: number | undefined
}

function partsOf(parts: RegExpExecArray): TimestampParts {
  const [, yearDigits, month, day, hour, minute, second, fraction = '', zone, era] = parts
  const year = era === undefined ? Number(yearDigits) : 1 - Number(yearDigits)
  checkDate(year, Number(month), Number(day))
  return {
    days: daysFromCivil(year, Number(month), Number(day)),
    secondOfDay: hour === undefined ? 0 : secondOfDayOf(hour, minute, second),
    fraction,
    offset: offsetSeconds(zone),
  }
}

function instantText(seconds: number, fraction: string, precision: number, zoned: boolean): string {
  const days = Math.floor(seconds / daySeconds)
  const time = timeText(seconds - days * daySeconds)
  return `${dateText(days)}T${time}${fractionText(fraction, precision)}${zoned ? 'Z' : ''}`
}

function secondOfDayOf(hour: string | undefined, minute: string | undefined, second: string | undefined): number {
  const [h, m, s] = [Number(hour), Number(minute), second === undefined ? 0 : Number(second)]
  if (h > 23 || m > 59 || s > 59) throw new ValueFault('has a time of day that is not on the clock')
  return h * 3600 + m * 60 + s
}

function offsetSeconds(zone: string | undefined): number | undefined {
  if (zone === undefined) return undefined
  if (/^[a-z]/i.test(zone)) return 0
  const digits = zone.slice(1).replaceAll(':', '').padEnd(6, '0')
  const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60 + Number(digits.slice(4, 6))
  return zone.startsWith('-') ? -seconds : seconds
}

function hintOf(text: string): string {
  if (/^[+-]?infinity$/i.test(text)) return ': infinity has no place on the calendar'
  if (/^\d+$/.test(text)) return ': the unit of a number must be declared'
  return ''
}

/** Exact for a number as for a bigint: the remainder is taken off before the division. */
function splitCount(count: number | bigint, unit: TimeUnit): { seconds: number; nanos: number } {
  const scale = perSecond[unit]
  const toNanos = perSecond.nanos / scale
  if (typeof count === 'number') {
    if (!Number.isInteger(count)) throw new ValueFault('is not a whole number')
    if (!Number.isSafeInteger(count)) {
      throw new ValueFault('is a number above 2^53, whose last digits may be lost already; send a bigint or text')
    }
    const rest = ((count % scale) + scale) % scale
    return { seconds: (count - rest) / scale, nanos: rest * toNanos }
  }
  const divisor = BigInt(scale)
  const rest = ((count % divisor) + divisor) % divisor
  const seconds = Number((count - rest) / divisor)
  if (!Number.isSafeInteger(seconds)) throw new ValueFault('is out of the range of dates')
  return { seconds, nanos: Number(rest) * toNanos }
}

function fractionOf(nanos: number): string {
  return nanos === 0 ? '' : String(nanos).padStart(9, '0')
}

/** With its point; cut or filled up to the precision. */
function fractionText(digits: string, precision: number): string {
  if (precision === 0) return ''
  return `.${digits.length >= precision ? digits.slice(0, precision) : digits.padEnd(precision, '0')}`
}

function timeText(secondOfDay: number): string {
  const hour = Math.floor(secondOfDay / 3600)
  const minute = Math.floor(secondOfDay / 60) % 60
  return `${two(hour)}:${two(minute)}:${two(secondOfDay % 60)}`
}

function dateText(days: number): string {
  const { year, month, day } = civilFromDays(days)
  if (year > 9_999_999 || year < -9_999_999) throw new ValueFault('is out of the range of dates')
  return `${yearText(year)}-${two(month)}-${two(day)}`
}

/** ISO 8601: four digits, or a sign and at least six. */
function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0')
  return (year < 0 ? '-' : '+') + String(Math.abs(year)).padStart(6, '0')
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}

/** The first ten characters are `YYYY-MM-DD` and a day of the calendar. */
function isPlainDate(text: string): boolean {
  const century = twoDigits(text, 0)
  const yearOfCentury = twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  if (century < 0 || yearOfCentury < 0 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return false
  return month >= 1 && month <= 12 && day >= 1 && day <= monthDays(century * 100 + yearOfCentury, month)
}

function isFraction(text: string, from: number, to: number): boolean {
  if (text.charCodeAt(from) !== 46 || to - from < 2) return false
  for (let index = from + 1; index < to; index++) {
    const digit = text.charCodeAt(index) - 48
    if (digit < 0 || digit > 9) return false
  }
  return true
}

function checkDate(year: number, month: number, day: number): void {
  if (month < 1 || month > 12 || day < 1 || day > monthDays(year, month)) {
    throw new ValueFault('is not a day of the calendar')
  }
}

function monthDays(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar, of any year (JavaScript's Date ends at 275760). */
function daysFromCivil(year: number, month: number, day: number): number {
  // years begin in March, so that the leap day is the last of its year
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719468
  const era = Math.floor(shifted / 146097)
  const dayOfEra = shifted - era * 146097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  }
}
