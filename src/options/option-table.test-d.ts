import { duration, flag, integer, list, memorySize, oneOf, orWord, text } from './option.ts'
import type { Given, OptionTable, Resolved } from './option-table.ts'
import type { SharedOptions } from './shared-options.ts'

/** Compiled by tsc, never run: what is inferred from an option table, both ways. */

const table = {
  url: text({ description: 'Required.', required: true }),
  name: text({ description: 'Optional.' }),
  wait: duration({ description: 'With a default.', default: '1s' }),
  limit: duration({ description: 'Optional.' }),
  keep: orWord('forever', duration({ description: 'Or a word.' })),
  size: memorySize({ description: 'With a default.', default: 0 }),
  rows: integer({ description: 'With a default.', default: 5, min: 1 }),
  on: flag({ description: 'With a default.', default: true }),
  mode: oneOf(['auto', 'true', 'false'], { description: 'With a default.', default: 'auto' }),
  columns: list({ description: 'Optional.' }),
  'fields.*.rule': oneOf(['sum', 'max'], { description: 'A family.' }),
} satisfies OptionTable

type Exactly<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const check = <_ extends true>(): void => {}

check<
  Exactly<
    Resolved<typeof table>,
    {
      readonly url: string
      readonly name: string | undefined
      readonly wait: number
      readonly limit: number | undefined
      readonly keep: number | 'forever' | undefined
      readonly size: number
      readonly rows: number
      readonly on: boolean
      readonly mode: 'auto' | 'true' | 'false'
      readonly columns: readonly string[] | undefined
      readonly 'fields.*.rule': ReadonlyMap<string, 'sum' | 'max'>
    }
  >
>()

check<
  Exactly<Resolved<SharedOptions>['merge-engine'], 'deduplicate' | 'partial-update' | 'aggregation' | 'first-row'>
>()
check<Exactly<Resolved<SharedOptions>['sink.upsert-key'], readonly string[] | 'none' | undefined>>()
check<Exactly<Resolved<SharedOptions>['fields.*.sequence-group'], ReadonlyMap<string, readonly string[]>>>()
check<Exactly<Resolved<SharedOptions>['debezium-json.*'], ReadonlyMap<string, string>>>()

const given = (options: Given<typeof table>): Given<typeof table> => options
const url = 'x://h'

given({ url })
given({ url, wait: '500 ms', keep: 'forever', size: '8mb', rows: '7', on: 'false', mode: false, columns: 'a,b' })
given({ url, wait: 0, limit: '0', size: '0', columns: ['a'], name: undefined, 'fields.a.rule': 'sum' })
// @ts-expect-error: required
given({})
// @ts-expect-error: no such option
given({ url, wiat: '1s' })
// @ts-expect-error: no such word
given({ url, keep: 'never' })
// @ts-expect-error: m is not minutes
given({ url, wait: '1 m' })
// @ts-expect-error: not a unit of size
given({ url, size: '8 MiB' })
// @ts-expect-error: no fraction
given({ url, size: '1.5mb' })
// @ts-expect-error: no member of the family
given({ url, 'fields.a.rules': 'sum' })
// @ts-expect-error: no such function
given({ url, 'fields.a.rule': 'avg' })
// @ts-expect-error: text is no boolean
given({ url, on: 'yes' })

// @ts-expect-error: a default in a wrong unit
duration({ description: 'x', default: '1 m' })
// @ts-expect-error: a default that is none of the words
oneOf(['a', 'b'], { description: 'x', default: 'c' })
// @ts-expect-error: a synonym for none of the words
oneOf(['a', 'b'], { description: 'x', synonyms: { z: 'c' } })
