import { type Parsed, parseQuantity } from './quantity.ts'

/** Milliseconds of each unit; the words are Flink's (`TimeUtils`). */
const millisOf = {
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  min: 60_000,
  minute: 60_000,
  minutes: 60_000,
  s: 1000,
  sec: 1000,
  secs: 1000,
  second: 1000,
  seconds: 1000,
  ms: 1,
  milli: 1,
  millis: 1,
  millisecond: 1,
  milliseconds: 1,
  µs: 1e-3,
  micro: 1e-3,
  micros: 1e-3,
  microsecond: 1e-3,
  microseconds: 1e-3,
  ns: 1e-6,
  nano: 1e-6,
  nanos: 1e-6,
  nanosecond: 1e-6,
  nanoseconds: 1e-6,
} as const

/** A duration as TypeScript checks it: `'500 ms'`, `'2s'`, `'1 min'`. */
export type DurationText = `${bigint}${'' | ' '}${keyof typeof millisOf}` | '0'

/**
 * Milliseconds of a duration in Flink's form: whole digits, optional blanks, a unit in any case; without a unit,
 * milliseconds. No sign and no fraction.
 */
export function parseDuration(text: string): Parsed<number> {
  return parseQuantity(text, {
    what: 'a duration such as 500 ms, 2s or 1 min',
    units: millisOf,
    bareUnit: 'ms',
    unitList: 'd, h, min, s, ms, µs or ns',
    confusions: {
      m: 'm is no unit of time here: minutes is min, milliseconds is ms',
      mins: 'minutes is min',
      us: 'microseconds is µs or micros',
    },
  })
}
