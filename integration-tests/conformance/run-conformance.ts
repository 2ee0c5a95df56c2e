import { afterAll, test } from 'vitest'
import { conformance } from '../../src/testing/conformance.ts'
import type { Harness } from '../../src/testing/harness.ts'

/** Defines the whole suite for one store, inside a `describe`. */
export function runConformance(harness: Harness): void {
  afterAll(() => harness.dispose())
  for (const { id, title, run } of conformance(harness)) test(`${title} (${id})`, run)
}
