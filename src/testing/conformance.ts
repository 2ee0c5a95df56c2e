import assert from 'node:assert/strict'
import type { ChangelogElement } from '../changelog/element.ts'
import { CaseContext, EventRecord, writeAndClose } from './case-context.ts'
import { aggregateCases } from './cases/aggregate-cases.ts'
import { concurrencyCases } from './cases/concurrency-cases.ts'
import { deliveryCases } from './cases/delivery-cases.ts'
import { flushCases } from './cases/flush-cases.ts'
import { type FreeCase, people } from './cases/free-case.ts'
import { groupCases } from './cases/group-cases.ts'
import { identifierCases } from './cases/identifier-cases.ts'
import { lifecycleCases } from './cases/lifecycle-cases.ts'
import type { MergeCase } from './cases/merge-case.ts'
import type { Need } from './cases/need.ts'
import { planCases } from './cases/plan-cases.ts'
import { propertyCases } from './cases/property-cases.ts'
import { rowKindCases } from './cases/row-kind-cases.ts'
import { sequenceCases } from './cases/sequence-cases.ts'
import { valueCases } from './cases/value-cases.ts'
import type { ConformanceCase, ConformanceOutcome, Harness } from './harness.ts'

/**
 * The conformance suite: every rule of `docs/SPEC.md` that a connector shows, as data for any test runner:
 *
 *     for (const one of conformance(harness)) test(one.title, one.run)
 *
 * A case about a capability that the connector does not declare passes if asking for it is refused with the documented
 * code. The cases share nothing but the harness and may run in any order, one at a time.
 */
export function conformance(harness: Harness): readonly ConformanceCase[] {
  const context = new CaseContext(harness)
  const merging = [...rowKindCases, ...sequenceCases, ...groupCases, ...aggregateCases]
  return [...merging.map((one) => mergeCase(context, one)), ...freeCases.map((one) => freeCase(context, one))]
}

const freeCases: readonly FreeCase[] = [
  ...planCases,
  ...flushCases,
  ...deliveryCases,
  ...lifecycleCases,
  ...valueCases,
  ...identifierCases,
  ...propertyCases,
  ...concurrencyCases,
]

function mergeCase(context: CaseContext, one: MergeCase): ConformanceCase {
  const needs = one.needs ?? []
  return {
    id: one.id,
    title: one.title,
    needs: needs.map(({ name }) => name),
    run: async () => {
      if (!(await context.declares(needs))) return await refuse(context, needs, one.columns, one.options)
      for (const cut of ways) await runMergeCase(context, one, cut)
      return 'passed'
    },
  }
}

function freeCase(context: CaseContext, one: FreeCase): ConformanceCase {
  const needs = one.needs ?? []
  return {
    id: one.id,
    title: one.title,
    needs: needs.map(({ name }) => name),
    run: async () => {
      const { columns = people, options } = one.ask ?? {}
      if (!(await context.declares(needs))) return await refuse(context, needs, columns, options)
      await one.run(context)
      return 'passed'
    },
  }
}

/** The other arm: what the connector does not declare is refused when it is asked for. */
async function refuse(
  context: CaseContext,
  needs: readonly Need[],
  columns: string,
  options: Readonly<Record<string, string>> = {},
): Promise<ConformanceOutcome> {
  const capabilities = await context.capabilities()
  const missing = needs.filter(({ declaredBy }) => !declaredBy(capabilities))
  const codes = missing.flatMap(({ code }) => code ?? [])
  if (codes.length === 0) return 'elsewhere'
  const asked = Object.assign({}, ...missing.map(({ ask }) => ask), options) as Record<string, string>
  const table = await context.table(columns, asked)
  await context.expectRefused(table, codes)
  return 'refused'
}

/** How a changelog is cut into flushes. */
const ways = ['a flush after each change', 'one flush', 'a restart in the middle'] as const

async function runMergeCase(context: CaseContext, one: MergeCase, way: (typeof ways)[number]): Promise<void> {
  const rejected = one.rejected ?? []
  const table = await context.table(one.columns, {
    ...one.options,
    ...(rejected.length > 0 ? { 'sink.failure-handler': 'skip' } : {}),
  })
  const elements = context.elements(table, one.changelog)
  const record = new EventRecord()
  for (const part of way === 'a restart in the middle' ? halves(elements) : [elements]) {
    const sink = await context.open(table, { onEvent: record.listen })
    if (way !== 'a flush after each change') {
      await writeAndClose(sink, part)
      continue
    }
    for (const [index, element] of part.entries()) {
      await sink.write(element)
      if (!isFirstHalf(part, index)) await sink.flush()
    }
    await writeAndClose(sink, [])
  }
  await context.expectRows(table, one.rows, `with ${way}`)
  const codes = record.of('rejected').map(({ code }) => code)
  assert.deepEqual(codes, rejected, `what is rejected, with ${way}`)
}

/** The two halves of an update stay together: a flush between them would make two changes of them. */
function isFirstHalf(elements: readonly ChangelogElement[], index: number): boolean {
  const [element, next] = [elements[index], elements[index + 1]]
  return (
    element !== undefined &&
    'kind' in element &&
    element.kind === '-U' &&
    next !== undefined &&
    'kind' in next &&
    next.kind === '+U'
  )
}

function halves(elements: readonly ChangelogElement[]): readonly (readonly ChangelogElement[])[] {
  let middle = Math.ceil(elements.length / 2)
  if (isFirstHalf(elements, middle - 1)) middle++
  return [elements.slice(0, middle), elements.slice(middle)]
}
