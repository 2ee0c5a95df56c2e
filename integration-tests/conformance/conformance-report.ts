import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestCase } from 'vitest/node'
import type { StoreStatus } from '../stores.ts'
import { type CaseResult, conformanceTable, tableCells } from './conformance-table.ts'

const readme = join(import.meta.dirname, '..', '..', 'README.md')
const marks = /(?<=<!-- conformance -->\n)[\s\S]*?(?=\n<!-- end of conformance -->)/

/** What the conformance suite showed in this run, one result a case and store. */
export function conformanceResults(tests: readonly TestCase[], stores: readonly StoreStatus[]): readonly CaseResult[] {
  const results = tests.flatMap((test): (CaseResult & { place: number })[] => {
    const { store, conformance } = test.meta()
    const { state } = test.result()
    if (store === undefined || (conformance === undefined && !isCase(test)) || state === 'skipped') return []
    const place = stores.findIndex(({ name }) => name === store)
    return [{ store: columnHead(store, stores), title: test.name, outcome: conformance ?? 'failed', place }]
  })
  return results.sort((a, b) => a.place - b.place || b.store.localeCompare(a.store))
}

/** Puts the table of this run into the README. */
export function writeConformance(results: readonly CaseResult[]): void {
  const text = readFileSync(readme, 'utf8')
  writeFileSync(readme, text.replace(marks, conformanceTable(results)))
}

/**
 * Where the README says something else than this run showed, for the stores and versions that both have; with `complete`
 * also the stores that the README lacks.
 */
export function outdatedConformance(results: readonly CaseResult[], complete: boolean): readonly string[] {
  const said = tableCells(readFileSync(readme, 'utf8').match(marks)?.[0] ?? '')
  const shown = tableCells(conformanceTable(results))
  const differing = [...shown].filter(([place, cell]) => said.get(place) !== cell && (complete || said.has(place)))
  const [first] = differing
  if (first === undefined) return []
  const [place, cell] = first
  return [
    `README.md: conformance of ${place} is "${said.get(place) ?? ''}", and this run showed "${cell}" (${differing.length} such cells): run npm run conformance`,
  ]
}

function isCase(test: TestCase): boolean {
  return test.module.relativeModuleId.includes('conformance') && /^[KGAOBRC]\d+ .*\([a-z0-9-]+\)$/.test(test.name)
}

/** The product and its version, e.g. `PostgreSQL 15.18`; in a container that is said too. */
function columnHead(store: string, stores: readonly StoreStatus[]): string {
  const version = stores.find(({ name }) => name === store)?.version ?? store
  const embedded = /\((\w+ \d[\w.]*)\)/.exec(version)?.[1]
  const product = embedded ?? /^\D+ \d[\w.]*/.exec(version)?.[0] ?? version
  return `${product}${['cluster', 'container']
    .filter((word) => version.includes(word))
    .map((word) => `, ${word}`)
    .join('')}`
}
