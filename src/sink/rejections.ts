import type { AccountCounters } from '../buffer/account.ts'
import { countRecords, type Entry } from '../buffer/entry.ts'
import type { DeadLetter, RejectionPolicy } from '../delivery/failure-handler.ts'
import type { FlushDomain, RejectedEntry } from '../delivery/flush-domain.ts'
import { publishEvent, type SinkEventListener } from '../delivery/sink-event.ts'
import { rejectionError } from '../delivery/unwritten-error.ts'
import type { TidegateError } from '../errors.ts'
import type { FoldKey } from '../row/row-key.ts'
import { BlockedKeys } from './blocked-keys.ts'
import { entryLetters, lettersOf } from './dead-letters.ts'
import type { SinkTable } from './sink-table.ts'

export interface RejectionsOptions {
  readonly tables: readonly SinkTable[]
  readonly policy: RejectionPolicy
  readonly account: AccountCounters
  readonly onEvent: SinkEventListener | undefined
  /** The handler has taken something: positions may move. */
  readonly onSettled: () => void
  /** The sink takes nothing more; answers the failure to raise. */
  readonly onFailure: (failure: TidegateError) => TidegateError
}

/** What becomes of changes that cannot be written: reported, counted and handed to the failure handler (rule R3). */
export class Rejections {
  readonly #options: RejectionsOptions
  readonly #blocked: BlockedKeys
  /** Arrivals of rejected records that are not safe with the handler yet, and of how many tables. */
  readonly #unsettled = new Map<number, number>()
  readonly #underWay = new Set<Promise<void>>()

  constructor(options: RejectionsOptions) {
    this.#options = options
    this.#blocked = new BlockedKeys(options.tables, options.policy.name === 'dead-letter')
  }

  /** Oldest record that is not safe with the handler; Infinity if all are. */
  get oldestArrival(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const arrival of this.#unsettled.keys()) oldest = Math.min(oldest, arrival)
    return oldest
  }

  /** The record whose dead letter blocks later changes of the key. */
  blockedBy(table: number, key: FoldKey): number | undefined {
    return this.#blocked.record(table, key)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  /** A change that was refused before it came to the buffer; the record is settled once the handler has it. */
  ofIntake(letter: DeadLetter, arrival: number): Promise<void> | undefined {
    const { policy, account, onSettled, onFailure } = this.#options
    account.rejected++
    this.#report([letter])
    if (policy.name === 'skip') return undefined
    this.#unsettled.set(arrival, (this.#unsettled.get(arrival) ?? 0) + 1)
    if (policy.name === 'fail') return Promise.reject(onFailure(rejectionError([letter])))
    const handling = policy.handler.handle([letter]).then(
      () => {
        const others = (this.#unsettled.get(arrival) ?? 1) - 1
        if (others === 0) this.#unsettled.delete(arrival)
        else this.#unsettled.set(arrival, others)
        onSettled()
      },
      (error: unknown) => {
        throw onFailure(error as TidegateError)
      },
    )
    this.#underWay.add(handling)
    handling.catch(() => {}).finally(() => this.#underWay.delete(handling))
    return handling
  }

  /** Changes that the store refuses, before anything of the flush commits. Throws under `fail`. */
  async ofStore(domain: FlushDomain, rejected: readonly RejectedEntry[]): Promise<void> {
    const letters: DeadLetter[] = []
    for (const one of rejected) {
      const table = this.#tableOf(domain, one.table)
      const isTold = one.storeCode === undefined || one.reason.includes(one.storeCode)
      const reason = isTold ? one.reason : `${one.reason} (${one.storeCode})`
      letters.push(...lettersOf(table.plan, one.change, one, one.code ?? 'ROW_REJECTED', reason))
      letters.push(...this.#block(table, one.change.key, one.record ?? 0))
    }
    await this.#handOver(letters)
  }

  /** Everything of a flush that holds one group, of which a change was refused (`sink.failure-scope` = `group`). */
  async ofGroup(domain: FlushDomain, entries: readonly Entry[], reason: string): Promise<void> {
    const letters = entries.flatMap((entry) =>
      entryLetters(this.#tableOf(domain, entry.table).plan, entry, 'ROW_REJECTED', `its group was rejected: ${reason}`),
    )
    await this.#handOver(letters)
  }

  async #handOver(letters: readonly DeadLetter[]): Promise<void> {
    const { policy } = this.#options
    this.#report(letters)
    if (policy.name === 'fail') throw rejectionError(letters)
    if (policy.name === 'dead-letter') await policy.handler.handle(letters)
  }

  /** What the buffer holds of a dead-lettered key follows it. */
  #block(table: SinkTable, key: FoldKey, record: number): readonly DeadLetter[] {
    const at = this.#options.tables.indexOf(table)
    this.#blocked.add(at, key, record)
    const blockedBy = this.#blocked.record(at, key)
    const entry = table.domain.entryOf(table.index, key)
    if (blockedBy === undefined || entry === undefined) return []
    table.domain.removeEntry(entry)
    this.#options.account.rejected += countRecords(entry)
    return entryLetters(table.plan, entry, 'ROW_REJECTED', `blocked by record ${blockedBy} of the same key`)
  }

  #report(letters: readonly DeadLetter[]): void {
    const { policy, onEvent } = this.#options
    for (const { table, code, reason, record } of letters) {
      publishEvent({ type: 'rejected', table, code, reason, record, handled: policy.name }, onEvent)
    }
  }

  #tableOf(domain: FlushDomain, index: number): SinkTable {
    return this.#options.tables.find((one) => one.domain === domain && one.index === index) as SinkTable
  }
}
