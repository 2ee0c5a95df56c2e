import { describe } from 'vitest'
import { runConformance } from '../../integration-tests/conformance/run-conformance.ts'
import { memoryHarness } from './memory-harness.ts'

describe('the memory connector conforms', { meta: { store: 'memory' } }, () => runConformance(memoryHarness()))
