import type { Connector } from './connector/connector.ts'

/**
 * The connectors that come with the package, loaded when they are named. The one file of the core that knows adapters.
 */
export const builtinConnectors: Readonly<Record<string, () => Promise<Connector>>> = {
  memory: async () => (await import('../adapters/memory/index.ts')).memory,
  postgres: async () => (await import('../adapters/postgres/index.ts')).postgres,
}
