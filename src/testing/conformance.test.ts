import { describe, test } from 'vitest'
import { conformance } from './conformance.ts'
import { memoryHarness } from './memory-harness.ts'

describe('the memory connector conforms', () => {
  for (const { id, title, run } of conformance(memoryHarness())) test(`${title} (${id})`, run)
})
