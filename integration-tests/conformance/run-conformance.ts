import { afterAll, test } from 'vitest'
import { conformance } from '../../src/testing/conformance.ts'
import type { ConformanceOutcome, Harness } from '../../src/testing/harness.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** How a case of the conformance suite ended, for the table of the closing report. */
    conformance?: ConformanceOutcome
  }
}

/** Defines the whole suite for one store, inside a `describe` whose meta names the store. */
export function runConformance(harness: Harness): void {
  afterAll(() => harness.dispose())
  for (const { id, title, run } of conformance(harness)) {
    test(`${title} (${id})`, async ({ task }) => {
      task.meta.conformance = await run()
    })
  }
}
