import { type Parsed, parseQuantity } from './quantity.ts'

const [kilo, mega, giga, tera] = [1024, 1024 ** 2, 1024 ** 3, 1024 ** 4]

/** Bytes of each unit, powers of 1024; the words are Flink's (`MemorySize`). */
const bytesOf = {
  b: 1,
  bytes: 1,
  k: kilo,
  kb: kilo,
  kibibytes: kilo,
  m: mega,
  mb: mega,
  mebibytes: mega,
  g: giga,
  gb: giga,
  gibibytes: giga,
  t: tera,
  tb: tera,
  tebibytes: tera,
} as const

/** A size as TypeScript checks it: `'8mb'`, `'512 kb'`. */
export type MemorySizeText = `${bigint}${'' | ' '}${keyof typeof bytesOf}` | '0'

/**
 * Bytes of a memory size in Flink's form: whole digits, optional blanks, a unit in any case; without a unit, bytes.
 * No sign and no fraction.
 */
export function parseMemorySize(text: string): Parsed<number> {
  return parseQuantity(text, {
    what: 'a memory size such as 8mb or 512 kb',
    units: bytesOf,
    bareUnit: 'b',
    unitList: 'b, kb, mb, gb or tb (powers of 1024)',
    confusions: {
      kib: 'write kb, which is 1024 bytes',
      mib: 'write mb, which is 1024 kb',
      gib: 'write gb, which is 1024 mb',
      tib: 'write tb, which is 1024 gb',
    },
  })
}
