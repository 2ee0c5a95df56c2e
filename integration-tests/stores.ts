import { describe, inject, test } from 'vitest'
import type { PostgresAccess } from './services/postgres-database.ts'

/** A store that tests run against, or why this machine cannot run it. */
export interface StoreStatus {
  readonly name: StoreName
  /** What was found, e.g. `PostgreSQL 15.18 of the machine's packages`. */
  readonly version?: string | undefined
  readonly missing?: string | undefined
  readonly postgres?: PostgresAccess | undefined
}

export type StoreName = 'pglite' | PostgresStoreName
export type PostgresStoreName = 'postgres-machine' | 'postgres-npm' | 'postgres-container' | 'postgres-url'

declare module 'vitest' {
  interface ProvidedContext {
    stores: readonly StoreStatus[]
  }
  interface TaskMeta {
    /** The store that a test ran against; the closing report counts by it. */
    store?: string
  }
}

/**
 * Defines the same tests for every PostgreSQL server of the run. A server that this machine cannot run leaves one skipped
 * test that says why.
 */
export function describeEachPostgres(title: string, define: (server: PostgresAccess, store: StoreName) => void): void {
  for (const { name, missing, postgres } of inject('stores')) {
    if (name === 'pglite') continue
    describe(`${title} on ${name}`, { meta: { store: name } }, () => {
      if (postgres === undefined) test('the server runs', (context) => context.skip(`${name}: ${missing}`))
      else define(postgres, name)
    })
  }
}
