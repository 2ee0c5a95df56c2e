import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import { conformanceResults, outdatedConformance, writeConformance } from './conformance/conformance-report.ts'
import type { StoreStatus } from './stores.ts'

/**
 * Closes a run: which stores were tested, of which version, and why one was not; every skipped test with its reason; and a
 * last line of the form `N passed, N failed, N skipped`. A skip without a reason, a server that broke, or a store that is
 * required (`TIDEGATE_TEST_REQUIRE`) and passed no test, fails the run.
 */
export default class ClosingReport implements Reporter {
  #vitest: Vitest | undefined
  #counts: Counts = { passed: 0, failed: 0, skipped: 0 }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    // the last line, also after what vitest prints about failures outside tests, and when the run is broken off
    process.once('exit', (exitCode) => console.log(closingLine(this.#counts, exitCode)))
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const stores = this.#stores()
    const required = process.env['TIDEGATE_TEST_REQUIRE'] === 'all'
    const faults = [
      ...brokenModules(modules),
      ...errors.map((error) => `error outside a test: ${error.message}`),
      ...(this.#isFiltered() ? [] : [...silentSkips(tests), ...this.#conformanceFaults(tests, required)]),
      ...brokenStores(stores),
      ...(required ? droppedStores(stores, tests) : []),
    ]
    if (faults.length > 0) process.exitCode = 1
    const lines = [...storeLines(stores, tests), ...skipLines(tests), ...faults.map((fault) => `FAULT  ${fault}`)]
    console.log(['', ...lines, ''].join('\n'))
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length
    this.#counts = { passed: count('passed'), failed: count('failed') + faults.length, skipped: count('skipped') }
  }

  /** By the names of tests: the rest is skipped by whoever runs it. */
  #isFiltered(): boolean {
    return this.#vitest?.config.testNamePattern !== undefined
  }

  #conformanceFaults(tests: readonly TestCase[], complete: boolean): readonly string[] {
    const results = conformanceResults(tests, this.#stores())
    if (results.length === 0) return []
    if (process.env['TIDEGATE_CONFORMANCE'] !== 'write') return outdatedConformance(results, complete)
    writeConformance(results)
    return []
  }

  #stores(): readonly StoreStatus[] {
    const project = this.#vitest?.projects.find(({ name }) => name === 'integration')
    return project?.getProvidedContext().stores ?? []
  }
}

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** A run that ends badly without a failed test has failed once. */
function closingLine({ passed, failed, skipped }: Counts, exitCode: number): string {
  const failures = failed === 0 && exitCode !== 0 ? 1 : failed
  return `${passed} passed, ${failures} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

function storeLines(stores: readonly StoreStatus[], tests: readonly TestCase[]): string[] {
  return stores.map((store) => {
    if (store.missing !== undefined) return `store  ${store.name}: not tested, ${store.missing}`
    return `store  ${store.name}: ${store.version}, ${passedOn(store, tests)} tests passed`
  })
}

function skipLines(tests: readonly TestCase[]): string[] {
  const counts = new Map<string, number>()
  for (const test of tests) {
    const reason = skipReason(test)
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => `skip   ${count} tests: ${reason}`)
}

function skipReason(test: TestCase): string | undefined {
  const result = test.result()
  return result.state === 'skipped' ? result.note : undefined
}

function silentSkips(tests: readonly TestCase[]): string[] {
  return tests
    .filter((test) => test.result().state === 'skipped' && skipReason(test) === undefined)
    .map((test) => `skipped without a reason: ${test.module.relativeModuleId} > ${test.fullName}`)
}

/** Files that could not be loaded, and hooks of a file that failed: no test of theirs says so. */
function brokenModules(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) =>
    [module, ...module.children.allSuites()].flatMap((suite) =>
      suite.errors().map((error) => `${module.relativeModuleId}: ${error.message}`),
    ),
  )
}

function brokenStores(stores: readonly StoreStatus[]): string[] {
  return stores.filter(({ broken }) => broken).map(({ name, missing }) => `${name}: ${missing}`)
}

function droppedStores(stores: readonly StoreStatus[], tests: readonly TestCase[]): string[] {
  if (stores.length === 0) return ['no store was tested, though all are required']
  return stores
    .filter((store) => !store.broken && (store.missing !== undefined || passedOn(store, tests) === 0))
    .map((store) => `${store.name} is required, but ${store.missing ?? 'no test passed on it'}`)
}

function passedOn(store: StoreStatus, tests: readonly TestCase[]): number {
  return tests.filter((test) => test.meta().store === store.name && test.result().state === 'passed').length
}
