import type { RejectedChange } from '../../src/connector/batch.ts'
import { callScript } from './call-script.ts'
import type { RedisArgument } from './client.ts'
import { afterRejected, type Entry, type KeyedChange, type PreparedPart } from './flush-part.ts'
import type { LedgerEntry } from './ledger.ts'
import type { Link } from './link.ts'
import { applyScript } from './script.ts'

/** A field for entries of a stream whose columns are all NULL, since an entry cannot be empty. */
export const emptyEntryField = '__tidegate_empty'

export type CallOutcome =
  | { readonly kind: 'written'; readonly counts: readonly (readonly [written: number, stale: number])[] }
  /** Nothing was written: some changes cannot be. */
  | { readonly kind: 'refused'; readonly rejected: readonly RejectedChange[] }
  /** Nothing was written: rows have changed since they were read. */
  | { readonly kind: 'conflict' }
  /** Nothing was written: the ledger belongs to another writer, or another epoch. */
  | { readonly kind: 'fenced' }

/** One call of the script: all of it takes effect, or nothing. `drops`: keys to remove first. `ledger`: goes with the rows. */
export async function sendCall(
  link: Pick<Link, 'send'>,
  parts: readonly PreparedPart[],
  drops: readonly string[],
  ledger: LedgerEntry | undefined,
): Promise<CallOutcome> {
  const entries = parts.flatMap(({ encoded }) => encoded.entries)
  if (entries.length === 0 && drops.length === 0 && ledger === undefined) {
    return { kind: 'written', counts: parts.map(() => [0, 0]) }
  }
  const keys = drops.concat(
    entries.map(({ key }) => key),
    ledger === undefined ? [] : [ledger.key],
  )
  const args: RedisArgument[] = [header(parts, drops.length, ledger)]
  for (const entry of entries) for (const arg of entry.args) args.push(arg)
  const [kind, detail] = (await callScript(link, applyScript, keys, args)) as [unknown, readonly unknown[]]
  switch (String(kind)) {
    case 'written':
      return { kind: 'written', counts: detail as readonly (readonly [number, number])[] }
    case 'conflict':
      return { kind: 'conflict' }
    case 'fenced':
      return { kind: 'fenced' }
    case 'repeated':
      return { kind: 'written', counts: parts.map(({ encoded }) => [encoded.entries.length, 0]) }
    default:
      return { kind: 'refused', rejected: rejectedOf(parts, entries, detail) }
  }
}

function header(parts: readonly PreparedPart[], drops: number, ledger: LedgerEntry | undefined): string {
  const specs = [...new Set(parts.map(({ encoded }) => encoded.spec))]
  const heads = parts.map(({ encoded: { spec, puts, isEmpty, entries } }) => {
    return { spec: specs.indexOf(spec) + 1, puts, is_empty: isEmpty, count: entries.length }
  })
  const { key: _key, ...entry } = ledger ?? {}
  const guarded = ledger === undefined ? '' : `"ledger":${JSON.stringify(entry)},`
  return `{"drops":${drops},${guarded}"empty":"${emptyEntryField}","parts":${JSON.stringify(heads)},"specs":[${specs.join()}]}`
}

/** Triples: the entry, counted from 1; why; the column, counted from 1. */
function rejectedOf(
  parts: readonly PreparedPart[],
  entries: readonly Entry[],
  triples: readonly unknown[],
): readonly RejectedChange[] {
  const partOf = parts.flatMap((part) => part.encoded.entries.map(() => part))
  const rejected: RejectedChange[] = []
  for (let index = 0; index < triples.length; index += 3) {
    const ordinal = Number(triples[index]) - 1
    const prepared = partOf[ordinal]
    const entry = entries[ordinal]
    if (prepared === undefined || entry === undefined) continue
    const fault = faultOf(prepared, String(triples[index + 1]), Number(triples[index + 2]))
    for (const { change } of entry.changes as readonly KeyedChange[]) {
      rejected.push({ table: prepared.part.index, change, ...fault })
    }
  }
  return rejected
}

function faultOf(
  { part: { table } }: PreparedPart,
  why: string,
  column: number,
): Pick<RejectedChange, 'code' | 'storeCode' | 'reason'> {
  const name = table.plan.merge.columns[table.positions[column - 1] ?? -1]?.name ?? ''
  switch (why) {
    case 'type':
      return { storeCode: 'WRONGTYPE', reason: 'the key holds something of another type' }
    case 'null':
      return { reason: `column ${name} is NOT NULL and would have no value` }
    case 'overflow':
      return { reason: `${name}: the sum leaves the range of its type` }
    case 'absent':
      return {
        code: 'RETRACT_WITHOUT_ROW',
        reason: 'a retract came before any row of its key, and without a flag column nothing can hold it (rule A4)',
      }
    default:
      return { reason: afterRejected }
  }
}
