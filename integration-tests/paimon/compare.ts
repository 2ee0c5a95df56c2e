/**
 * Compares the merge engines with a real Paimon table on random cases.
 *
 *     npx tsc -p integration-tests/paimon
 *     node .cache/paimon/integration-tests/paimon/compare.js [TABLES] [SEED]
 *
 * Needs a JDK and Maven. Each table has eight keys with up to seven records each; 400 tables take some minutes. What
 * differs is printed as one JSON line a key; the exit status is 1 then.
 */
import { isDeepStrictEqual } from 'node:util'
import { isRetract } from '../../src/row/row-kind.ts'
import { compareCodePoints } from '../../src/row/value.ts'
import type { PaimonCase } from './paimon-case.ts'
import { askPaimon } from './paimon-oracle.ts'
import { Random } from './random.ts'
import { randomCase } from './random-cases.ts'
import { tidegateRows } from './tidegate-rows.ts'

const [tables = '200', seed = '1'] = process.argv.slice(2)
const random = new Random(Number(seed))
const cases = Array.from({ length: Number(tables) }, (_, index) => randomCase(random, `${seed}-${index}`))

const answers = new Map((await askPaimon(cases)).map((answer) => [answer.id, answer]))
let keyCount = 0
let differing = 0
for (const one of cases) {
  const answer = answers.get(one.id)
  if (answer === undefined || 'error' in answer) {
    differing++
    console.log(JSON.stringify({ id: one.id, paimon: answer?.error ?? 'no answer', options: one.options }))
    continue
  }
  const theirs = new Map(answer.rows.map((row) => [row[0], row]))
  const ours = await tidegateRows(one, random)
  for (const key of new Set(one.rounds.flat().map(({ row }) => row[0]))) {
    keyCount++
    const difference = compareKey(one, key, theirs.get(key), ours.get(key))
    if (difference === undefined) continue
    differing++
    console.log(JSON.stringify(difference))
  }
}
console.error(`${keyCount} keys of ${cases.length} tables compared, ${differing} differ`)
process.exitCode = differing === 0 ? 0 : 1

function compareKey(
  one: PaimonCase,
  key: unknown,
  theirs: readonly unknown[] | undefined,
  ours: readonly unknown[] | undefined,
): object | undefined {
  const records = one.rounds.flat().filter(({ row }) => row[0] === key)
  const wasRetracted = records.some(({ kind }) => isRetract(kind))
  if (one.showsRetracted && records.every(({ kind }) => isRetract(kind))) return undefined
  const comparable = (row: readonly unknown[] | undefined): unknown[] | undefined =>
    row?.map((value, at) => {
      const name = one.columns[at]?.name ?? ''
      return wasRetracted && one.notAfterRetract.includes(name) ? 'not compared' : plain(value)
    })
  const [expected, got] = [comparable(theirs), comparable(ours)]
  if (isDeepStrictEqual(expected, got)) return undefined
  const { id, columns, options, sinkOptions, commit } = one
  return { id, columns, options, sinkOptions, commit, records, paimon: expected ?? null, tidegate: got ?? null }
}

/** As the oracle writes values; the order of collected elements is not defined. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return Array.isArray(value) ? value.map(String).sort(compareCodePoints) : value
}
