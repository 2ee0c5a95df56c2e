import type { Connector } from '../../src/connector/connector.ts'
import type { CrashState } from './crash-input.ts'

/** What the tests with killed processes and broken networks have to know of a store. */
export interface CrashStore {
  readonly connector: Connector
  /** `onCall` is told of each statement before it is sent, and right behind it. Absent: statements are not watched. */
  readonly openWatchedClient?: (
    url: string,
    onCall: (statement: string) => { readonly sent: () => void },
  ) => Promise<WatchedClient>
  openReader(url: string): Promise<CrashReader>
}

export interface WatchedClient {
  /** To be handed in. */
  readonly client: unknown
  end(): Promise<unknown>
}

export interface CrashReader {
  /** What a reader of the store sees; tables that are not there yet have no rows. */
  state(): Promise<CrashState>
  /** The offset that the ledger holds, once nothing is under way any more; 0 before the first flush. Absent: no ledger. */
  readonly ledgerOffset?: (sinkId: string) => Promise<number>
  end(): Promise<unknown>
}

export type CrashStoreName = 'postgres' | 'mysql' | 'clickhouse' | 'redis' | 'elasticsearch' | 'opensearch'
