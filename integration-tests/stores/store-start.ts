import type { StoreStatus } from '../stores.ts'

/** How one store is started for a run. Throws `ServiceUnavailable` where this machine cannot have it. */
export interface StoreStart {
  readonly name: StoreStatus['name']
  /** `quick`: in every run, one server a store. `all`: the other versions, by `npm run test:all`. */
  readonly set: 'quick' | 'all'
  readonly start: () => Promise<{ status: Omit<StoreStatus, 'name'>; stop: () => Promise<void> }>
}
