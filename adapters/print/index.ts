import type { Connector } from '../../src/connector/connector.ts'
import { formatDataType } from '../../src/row/data-type.ts'
import { printCapabilities } from './capabilities.ts'
import { printOptions } from './options.ts'
import { PrintWriter } from './writer.ts'

/**
 * Writes every change as a line in the form of Flink's print connector, `+I[1, ada]`, to standard output or to a stream
 * handed in as `client`. Takes all row kinds, for it keeps nothing.
 */
export const print = {
  name: 'print',
  options: printOptions,
  identity: () => 'print',
  capabilities: () => printCapabilities,
  typeMapping: {
    nativeType: formatDataType,
    keyNormalizer: () => undefined,
    sequenceFault: () => 'it has nothing stored to compare with',
  },
  targetName: () => 'standard output',
  statements: () => [],
  createTable: () => [],
  open: async (context) => new PrintWriter(context),
  classify: () => 'fatal',
} satisfies Connector
