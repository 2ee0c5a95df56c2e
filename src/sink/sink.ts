import type { Writable } from 'node:stream'
import type { Account, AccountCounters } from '../buffer/account.ts'
import type { Entry } from '../buffer/entry.ts'
import type { Origin } from '../buffer/fold-buffer.ts'
import type { Change, ChangelogElement, GroupEnd, Truncate } from '../changelog/element.ts'
import type { Position, Positions } from '../changelog/position.ts'
import type { DurablePositions } from '../delivery/durable-positions.ts'
import type { RejectionPolicy } from '../delivery/failure-handler.ts'
import type { FlushDomain, RejectedEntry } from '../delivery/flush-domain.ts'
import { publishEvent, type SinkEventListener } from '../delivery/sink-event.ts'
import { UnwrittenError } from '../delivery/unwritten-error.ts'
import { WaitingList } from '../delivery/waiting-list.ts'
import { type ErrorCode, TidegateError } from '../errors.ts'
import type { MergeChange } from '../merge/merge-change.ts'
import type { LiftInput } from '../merge/merge-function.ts'
import type { SinkPlan } from '../plan/plan.ts'
import { isAdd } from '../row/row-kind.ts'
import { changeLetter, entryLetters } from './dead-letters.ts'
import { endsWithPosition, GroupStage, type StagedGroup } from './group-stage.ts'
import type { IntakeObserver } from './intake-observer.ts'
import { joinPending } from './join-pending.ts'
import { keyChange } from './key-change.ts'
import { checkElement, isObject, malformedChange } from './malformed-change.ts'
import { OpenPairs } from './open-pairs.ts'
import { Rejections } from './rejections.ts'
import { isReplay, writtenBefore } from './replay.ts'
import type { SinkTable } from './sink-table.ts'
import { createWebWritable, createWritable } from './streams.ts'
import type { TableRouter } from './table-router.ts'
import { Turns } from './turns.ts'

/** What `flush()` and `close()` report. */
export interface FlushReport {
  readonly account: Account
  /** Newest durable position of each partition. */
  readonly positions: Positions
  /** Groups whose end never came; their changes were not written and are not durable. */
  readonly pendingGroups: number
}

export interface SinkOptions {
  readonly plan: SinkPlan
  readonly server: string
  readonly tables: readonly SinkTable[]
  readonly domains: readonly FlushDomain[]
  readonly router: TableRouter
  readonly account: AccountCounters
  readonly positions: DurablePositions
  readonly rejectionPolicy: RejectionPolicy
  readonly abortController: AbortController
  readonly onEvent: SinkEventListener | undefined
  readonly observer: IntakeObserver | undefined
}

const done = Promise.resolve()

/** A producer that awaits each write and has all its rows at hand would never let a flush run, or a timer. */
const breathEvery = 1024
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * An open sink for one or several tables. `write` takes a change and waits while the buffer is full; `flush` and `close`
 * resolve once everything accepted is durable, and reject otherwise.
 */
export class Sink implements AsyncDisposable {
  readonly plan: SinkPlan
  /** What the store calls itself, e.g. `PostgreSQL 15.18`. */
  readonly server: string
  readonly #options: SinkOptions
  readonly #tables: readonly SinkTable[]
  readonly #account: AccountCounters
  readonly #positions: DurablePositions
  /** By table. */
  readonly #pairs: readonly OpenPairs[]
  readonly #stage = new GroupStage()
  readonly #aligned: boolean
  /** The store keeps the positions (rule R5): a flush may be cut only where one is reached. */
  readonly #exactlyOnce: boolean
  readonly #rejections: Rejections
  /** Writers that wait for the buffer to have room. */
  readonly #space = new WaitingList()
  #arrival = 0
  /** Oldest record of a large group whose transactions are being committed. */
  #committing = Number.POSITIVE_INFINITY
  readonly #origin: { -readonly [Member in keyof Origin]: Origin[Member] } = {
    arrival: 0,
    record: undefined,
    position: undefined,
  }
  #failure: TidegateError | undefined
  readonly #turns = new Turns()
  #closing: Promise<FlushReport> | undefined
  #otherTables = 0

  constructor(options: SinkOptions) {
    this.#options = options
    this.plan = options.plan
    this.server = options.server
    this.#tables = options.tables
    this.#pairs = options.tables.map(() => new OpenPairs())
    this.#account = options.account
    this.#positions = options.positions
    this.#aligned = options.plan.flush.align === 'group'
    this.#exactlyOnce = options.tables.some(({ ledger }) => ledger !== undefined)
    this.#rejections = new Rejections({
      tables: options.tables,
      policy: options.rejectionPolicy,
      account: options.account,
      onEvent: options.onEvent,
      onSettled: () => this.settled(),
      onFailure: (failure) => this.#fail(failure),
    })
  }

  /**
   * Takes a change or a control element. Resolves once it is accepted, which is no promise that it is durable: see
   * `flush`, `durable`. Waits while the buffer is full (rule B3). Rejects if the change cannot be taken and the failure
   * handler is `fail`, or if the sink has failed.
   */
  write(element: ChangelogElement): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(this.#failure ?? closedError())
    if (this.#turns.isTaken || this.#full) return this.#writeInTurn(element)
    try {
      const pending = this.#accept(element)
      if (pending !== undefined) return this.#turns.hold(pending)
      return this.#arrival % breathEvery === 0 ? breath() : done
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Writes everything accepted so far and waits until it is durable; ends every hold. */
  async flush(): Promise<FlushReport> {
    if (this.#closing !== undefined) throw this.#failure ?? closedError()
    await this.#turns.passed()
    // closed meanwhile: that flushes what this would have, and fails where this would have
    if (this.#closing !== undefined) return await this.#closing
    this.#check()
    await this.#flushDomains('explicit')
    return this.#report()
  }

  /** Flushes and closes; rejects if anything accepted was not written, with the rows in `unwritten`. Idempotent. */
  close(): Promise<FlushReport> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Stops at once: nothing more is sent, and what is under way ends with an unknown outcome. */
  async abort(reason?: unknown): Promise<void> {
    const failure = new TidegateError('the sink was aborted', { code: 'SINK_ABORTED', cause: reason })
    this.#fail(failure)
    for (const domain of this.#options.domains) domain.stop(failure)
    this.#options.abortController.abort(failure)
    this.#closing ??= Promise.reject(failure)
    this.#closing.catch(() => {})
    await this.#release()
  }

  /** The newest durable position of each partition, whenever there is a newer one; ends when the sink is closed. */
  durable(): AsyncIterableIterator<Position> {
    return this.#positions.read()
  }

  /** Newest durable position of each partition; at the start those of the ledger, under exactly-once. */
  positions(): Positions {
    return this.#positions.current()
  }

  account(): Account {
    return this.#account.snapshot()
  }

  /** Records of the stream that were for none of the tables. */
  get otherTables(): number {
    return this.#otherTables
  }

  /** Columns that came and are not declared, by table: `{ orders: { channel: 4 } }`. */
  undeclaredColumns(): Record<string, Record<string, number>> {
    return Object.fromEntries(
      this.#tables
        .filter(({ intake }) => intake.undeclared.size > 0)
        .map(({ plan, intake }) => [plan.name, Object.fromEntries(intake.undeclared)]),
    )
  }

  /** Bytes and rows that wait in buffers or are under way. */
  load(): { readonly rowCount: number; readonly byteCount: number } {
    let rowCount = this.#stage.changeCount
    let byteCount = this.#stage.byteCount
    for (const domain of this.#options.domains) {
      rowCount += domain.bufferedRows
      byteCount += domain.byteCount
    }
    return { rowCount, byteCount }
  }

  /** A flush is under way or about to start. */
  get isFlushing(): boolean {
    return this.#options.domains.some((domain) => domain.isFlushing)
  }

  /**
   * The partitions are read by somebody else from now on (a Kafka rebalance): what they have sent is flushed, and their
   * positions are no longer reported.
   */
  async revoke(partitions: readonly string[]): Promise<void> {
    await this.flush()
    for (const partition of partitions) this.#positions.forget(partition)
  }

  /** A Node stream in object mode: ends with `close()`, and its disposal flushes. */
  writable(): Writable {
    return createWritable(this)
  }

  /** A WHATWG stream: its `close` closes the sink, its `abort` aborts it. */
  webWritable(): WritableStream<ChangelogElement> {
    return createWebWritable(this)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  get #full(): boolean {
    for (const domain of this.#options.domains) if (domain.full) return true
    return this.#stage.byteCount >= this.plan.flush.bufferMaxBytes
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure
    for (const domain of this.#options.domains) {
      if (domain.failure !== undefined) throw this.#fail(domain.failure)
    }
  }

  /** No more is taken in; what was accepted before is still written by `close`. */
  #fail(failure: TidegateError): TidegateError {
    this.#failure ??= failure
    this.#space.wake()
    return this.#failure
  }

  #writeInTurn(element: ChangelogElement): Promise<void> {
    return this.#turns.take(async () => {
      await this.#room()
      await this.#accept(element)
    })
  }

  async #room(): Promise<void> {
    while (this.#full) {
      this.#check()
      if (this.#stage.byteCount >= this.plan.flush.bufferMaxBytes / 2) {
        const largest = this.#stage.largest()
        if (largest !== undefined) await this.#streamGroup(largest)
        continue
      }
      for (const domain of this.#options.domains) domain.relieve()
      if (this.#full) await this.#space.next()
    }
  }

  /** Called by the domains whenever a flush has ended. */
  settled(): void {
    this.#positions.advance(this.#oldestArrival())
    this.#space.wake()
  }

  /** Called by the domains: everything that arrived before this is in them, or settled. */
  arrivalBound(): number {
    return Math.min(this.#arrival + 1, this.#stage.oldestArrival, this.#rejections.oldestArrival)
  }

  #oldestArrival(): number {
    let oldest = Math.min(this.arrivalBound(), this.#committing)
    for (const domain of this.#options.domains) oldest = Math.min(oldest, domain.oldestArrival)
    return oldest
  }

  #accept(element: ChangelogElement): Promise<void> | undefined {
    this.#check()
    checkElement(element)
    this.#arrival++
    switch (element.type) {
      case undefined:
      case 'change':
        return this.#acceptChange(element)
      case 'group-end':
        return this.#acceptGroupEnd(element)
      case 'truncate':
        return this.#acceptTruncate(element)
      case 'schema-change':
        this.#warn(element.table, `the source changed the table: ${element.description}`)
        break
      case 'watermark':
      case 'position':
        break
      default:
        throw new TidegateError(
          `what was written is no element of a changelog: type ${(element as { type: string }).type}`,
          {
            code: 'INPUT_MALFORMED',
            hint: "write { kind: '+I', row: { … } } or a control element",
          },
        )
    }
    if (element.position !== undefined) this.#passed(element.position)
    return undefined
  }

  #acceptChange(change: Change): Promise<void> | undefined {
    const origin = this.#originOf(change)
    if (!isObject(change.row)) throw malformedChange('has no object in row')
    const targets = this.#options.router.route(change.table)
    if (targets.length === 0) {
      if (this.#otherTables++ === 0) this.#warn(change.table, 'changes that name none of the tables are not written')
      if (change.position !== undefined && change.more !== true) this.#passed(change.position)
      return undefined
    }
    this.#checkPosition(change, targets)
    this.#account.accepted += targets.length
    const group = this.#groupOf(change)
    if (group !== undefined) return this.#stageChange(group, change, targets, origin)
    const pending = this.#takeInto(targets, change, origin)
    this.#recordEnd(change)
    if (change.more !== true) this.#afterRecord(targets)
    return pending
  }

  /**
   * What the change has to wait for: the end of its group if flushes are aligned; under exactly-once the next position,
   * since what is written beyond the stored position would come a second time after a restart.
   */
  #groupOf(change: Change): string | undefined {
    if (change.group !== undefined && (this.#aligned || (this.#exactlyOnce && change.position === undefined))) {
      return change.group
    }
    const isPart = change.more === true || this.#stage.get(wholeRecord) !== undefined
    return this.#exactlyOnce && isPart ? wholeRecord : undefined
  }

  /** Without its position nobody could tell after a restart whether the change is in (rule R5). */
  #checkPosition({ position, more, group }: Change, targets: readonly number[]): void {
    if (position !== undefined || more === true || group !== undefined) return
    if (!targets.some((at) => this.#tables[at]?.ledger !== undefined)) return
    throw malformedChange(positionMissing, 'write { kind, row, position: { partition, offset } }')
  }

  #afterRecord(targets: readonly number[]): void {
    for (const at of targets) {
      const { domain } = this.#tables[at] as SinkTable
      if (this.#aligned) domain.afterGroup()
      else domain.afterRecord()
    }
  }

  /** One object for all records: whoever keeps an origin copies it. */
  #originOf(change: Change): Origin {
    const origin = this.#origin
    origin.arrival = this.#arrival
    origin.record = change.record
    origin.position = change.position
    return origin
  }

  #takeInto(targets: readonly number[], change: Change, origin: Origin): Promise<void> | undefined {
    if (targets.length === 1) return this.#take(change, targets[0] as number, origin)
    return joinPending(targets.map((at) => this.#take(change, at, origin)))
  }

  /** Through intake, update-before rule and pairs into the fold buffer. */
  #take(change: Change, at: number, origin: Origin): Promise<void> | undefined {
    const table = this.#tables[at] as SinkTable
    if (isReplay(change.position, table)) return this.#ignored(change, at, writtenBefore)
    const intake = table.intake.take(change)
    if (intake.outcome === 'ignored') return this.#ignored(change, at, intake.reason)
    if (intake.outcome === 'rejected') return this.#rejected(change, at, origin, intake.code, intake.reason)
    const { input, byteCount } = intake
    const blockedBy = this.#rejections.blockedBy(at, input.key)
    if (blockedBy !== undefined) {
      return this.#rejected(change, at, origin, 'ROW_REJECTED', `blocked by record ${blockedBy} of the same key`)
    }
    // in a log nothing is held, and the halves of an update know nothing of each other
    const isLog = table.plan.merge.batchShape === 'log'
    const pair = isLog ? undefined : change.pair
    if (input.kind === '-U' && !isLog) return this.#takeUpdateBefore(change, at, input, byteCount, origin)
    const half = pair === undefined ? undefined : this.#pairsOf(at).close(pair)
    if (half !== undefined && half.input.key !== input.key && isAdd(input.kind)) {
      return this.#takeKeyChange(change, at, half.input, half.entry, input, byteCount, origin)
    }
    const lifted = table.merge.lift(input)
    if (lifted.outcome === 'ignored') return this.#ignored(change, at, lifted.reason)
    if (lifted.outcome === 'rejected') return this.#rejected(change, at, origin, lifted.code, lifted.reason)
    if (input.kind === '-D' && pair !== undefined) {
      const entry = table.domain.addHeld(table.index, lifted.change, byteCount, origin)
      this.#pairsOf(at).open(pair, { input, entry })
    } else {
      table.domain.add(table.index, lifted.change, byteCount, isAdd(input.kind), origin)
    }
    this.#options.observer?.taken(change, at, 'buffered', undefined, { own: lifted.change })
    return undefined
  }

  #takeUpdateBefore(
    change: Change,
    at: number,
    input: LiftInput,
    byteCount: number,
    origin: Origin,
  ): Promise<void> | undefined {
    const { plan, merge, domain, index } = this.#tables[at] as SinkTable
    const { observer } = this.#options
    const kept = { ...origin }
    const ignore = (reason: string) => () => {
      this.#account.ignored++
      observer?.taken(change, at, 'ignored', reason)
    }
    const dropped = observer && (() => observer.taken(change, at, 'ignored', 'its update-after follows'))
    let entry: Entry
    let own: MergeChange | undefined
    if (plan.updateBefore === 'drop') {
      if (change.pair === undefined) return this.#ignored(change, at, 'update-befores are dropped')
      const held = { change: undefined, byteCount, reject: ignore('update-befores are dropped'), dropped }
      entry = domain.holdUpdateBefore(index, input.key, held, origin)
    } else {
      const lifted = merge.lift(input)
      if (lifted.outcome === 'ignored') return this.#ignored(change, at, lifted.reason)
      if (plan.updateBefore === 'drop-paired' || plan.updateBefore === 'ignore-paired') {
        const held =
          lifted.outcome === 'change'
            ? { change: lifted.change, byteCount, reject: undefined, dropped }
            : {
                change: undefined,
                byteCount,
                reject: () => {
                  void this.#rejected(change, at, kept, lifted.code, lifted.reason)?.catch(() => {})
                },
                dropped,
              }
        entry = domain.holdUpdateBefore(index, input.key, held, origin)
        own = held.change
      } else {
        if (lifted.outcome === 'rejected') return this.#rejected(change, at, origin, lifted.code, lifted.reason)
        entry = domain.addHeld(index, lifted.change, byteCount, origin)
        own = lifted.change
      }
    }
    if (change.pair !== undefined) this.#pairsOf(at).open(change.pair, { input, entry })
    observer?.taken(change, at, 'held', 'its update-after has not come yet', own && { own })
    return undefined
  }

  /** The update moved the row to another key: a delete there and an upsert here, in one flush (rule K6). */
  #takeKeyChange(
    change: Change,
    at: number,
    before: LiftInput,
    beforeEntry: Entry,
    after: LiftInput,
    byteCount: number,
    origin: Origin,
  ): Promise<void> | undefined {
    const { plan, merge, domain, index } = this.#tables[at] as SinkTable
    const halves = keyChange(plan, merge, before, domain.entryOf(index, before.key)?.change, after)
    if (halves.outcome === 'rejected') {
      return this.#rejected(change, at, origin, halves.code, halves.reason)
    }
    const entry = domain.add(index, halves.upsert, byteCount, true, origin)
    const old = domain.moveAway(index, beforeEntry, halves.delete, origin)
    if (old !== undefined) domain.link(old, entry)
    const effect = { own: halves.upsert, oldKey: halves.delete }
    this.#options.observer?.taken(change, at, 'buffered', 'the key changed', effect)
    return undefined
  }

  #pairsOf(at: number): OpenPairs {
    return this.#pairs[at] as OpenPairs
  }

  #recordEnd(change: Change): void {
    if (change.more !== true && change.position !== undefined) this.#positions.note(change.position, this.#arrival)
  }

  /** The source has passed a position with nothing of it to be written. */
  #passed(position: Position): void {
    this.#positions.note(position, this.#arrival)
    this.#positions.advance(this.#oldestArrival())
  }

  #ignored(change: Change, at: number, reason: string): undefined {
    this.#account.ignored++
    this.#options.observer?.taken(change, at, 'ignored', reason)
    return undefined
  }

  #rejected(change: Change, at: number, origin: Origin, code: ErrorCode, reason: string): Promise<void> | undefined {
    const { plan } = this.#tables[at] as SinkTable
    this.#options.observer?.taken(change, at, 'rejected', reason)
    return this.#rejections.ofIntake(changeLetter(plan, change, code, reason), origin.arrival)
  }

  /** Called by the domains for changes that the store refuses, before anything of the flush commits (rule R3). */
  storeRejected(domain: FlushDomain, rejected: readonly RejectedEntry[]): Promise<void> {
    return this.#rejections.ofStore(domain, rejected)
  }

  /** Called by the domains under `sink.failure-scope` = `group`: nothing of the group was written, all of it is rejected. */
  groupRejected(domain: FlushDomain, entries: readonly Entry[], reason: string): Promise<void> {
    return this.#rejections.ofGroup(domain, entries, reason)
  }

  #stageChange(id: string, change: Change, targets: readonly number[], origin: Origin): Promise<void> | undefined {
    const open = this.#stage.get(id)
    if (open?.streaming === true) {
      const pending = this.#takeInto(targets, change, origin)
      this.#recordEnd(change)
      return this.#sendParts(pending)
    }
    const group = this.#stage.add(id, change, targets, origin)
    this.#recordEnd(change)
    if (id === wholeRecord && change.more !== true) return this.#endRecord(group, change, targets)
    return group.byteCount > this.plan.flush.bufferMaxBytes / 2 ? this.#streamGroup(group) : undefined
  }

  #endRecord(group: StagedGroup, last: Change, targets: readonly number[]): Promise<void> | undefined {
    const pending = this.#takeGroup(group, last.position)
    this.#stage.close(group)
    this.#afterRecord(targets)
    return pending
  }

  async #acceptGroupEnd(element: GroupEnd): Promise<void> {
    const group = this.#stage.find(element.group)
    if (group !== undefined && this.#exactlyOnce && element.position === undefined && !endsWithPosition(group)) {
      throw malformedChange(positionMissing, "write { type: 'group-end', group, position: { partition, offset } }")
    }
    // before the group is ended: the last part of a large one commits with this position
    if (element.position !== undefined) this.#positions.note(element.position, this.#arrival)
    if (group !== undefined) await this.#endGroup(group, element.position)
    for (const domain of this.#options.domains) domain.afterGroup()
    if (this.#aligned && this.plan.delivery.failureScope === 'group') await this.#flushDomains('group')
    this.#positions.advance(this.#oldestArrival())
  }

  /** `end`: the position that the source has reached with the group. */
  async #endGroup(group: StagedGroup, end: Position | undefined): Promise<void> {
    if (!group.streaming) {
      await this.#takeGroup(group, end)
      this.#stage.close(group)
      return
    }
    if (this.#tables.some((table) => isReplay(end, table))) {
      throw this.#fail(
        new TidegateError('a group that was written before came again, and is too large to be held until its end', {
          code: 'GROUP_TOO_LARGE',
          hint: "raise 'sink.buffer.max-bytes', or let the source go on from the sink's positions",
        }),
      )
    }
    // the last part commits with the position of the whole group; what is reported waits until every domain has committed
    this.#committing = group.firstArrival
    this.#stage.close(group)
    for (const domain of this.#options.domains) await domain.sendPart(true)
    this.#committing = Number.POSITIVE_INFINITY
  }

  #takeGroup(group: StagedGroup, end: Position | undefined): Promise<void> | undefined {
    const pending = this.#stage.drain(group).flatMap(({ change, tables, origin }) =>
      tables.map((at) => {
        if (isReplay(end, this.#tables[at] as SinkTable)) return this.#ignored(change, at, writtenBefore)
        return this.#take(change, at, origin)
      }),
    )
    return joinPending(pending)
  }

  /** The group is larger than the buffer: what is complete goes first, then its parts into one open transaction. */
  async #streamGroup(group: StagedGroup): Promise<void> {
    if (!this.#tables.every(({ plan }) => plan.capabilities.openTransaction)) {
      throw this.#fail(
        new TidegateError('a group of changes is larger than the buffer, and this store cannot keep a flush open', {
          code: 'GROUP_TOO_LARGE',
          hint: "raise 'sink.buffer.max-bytes', or set 'sink.flush.align' = 'none'",
        }),
      )
    }
    await this.#flushDomains('pressure')
    group.streaming = true
    await this.#takeGroup(group, undefined)
    await this.#sendParts(undefined)
  }

  async #sendParts(pending: Promise<void> | undefined): Promise<void> {
    await pending
    const { maxRows, maxBytes } = this.plan.flush
    for (const domain of this.#options.domains) {
      const large = (maxRows > 0 && domain.bufferedRows >= maxRows) || (maxBytes > 0 && domain.byteCount >= maxBytes)
      if (large || domain.full) await domain.sendPart(false)
    }
  }

  async #acceptTruncate(element: Truncate): Promise<void> {
    for (const at of this.#options.router.route(element.table)) await this.#truncate(this.#tables[at] as SinkTable)
    if (element.position !== undefined) this.#passed(element.position)
  }

  async #truncate(table: SinkTable): Promise<void> {
    const { plan, domain, index, intake } = table
    if (plan.truncate === 'ignore') return
    intake.truncate()
    if (plan.truncate === 'error') {
      throw this.#fail(
        new TidegateError(`the source truncated ${plan.name}, and 'sink.truncate' = 'error'`, {
          code: 'TRUNCATE_REFUSED',
          table: plan.name,
          hint: "set 'sink.truncate' = 'apply' to empty the target too, or 'ignore' to leave it",
        }),
      )
    }
    if (this.#stage.isStreaming) {
      throw this.#fail(
        new TidegateError(`the source truncated ${plan.name} inside of a group that is larger than the buffer`, {
          code: 'GROUP_TOO_LARGE',
          table: plan.name,
          hint: "raise 'sink.buffer.max-bytes'",
        }),
      )
    }
    await this.#flushDomains('truncate')
    await domain.truncate(index)
  }

  async #flushDomains(trigger: 'explicit' | 'close' | 'truncate' | 'group' | 'pressure'): Promise<void> {
    for (const pairs of this.#pairs) pairs.clear()
    // to flush in the middle of a large group would commit half of it
    if (this.#stage.isStreaming) return
    await Promise.all(this.#options.domains.map((domain) => domain.flush(trigger))).catch((error: unknown) => {
      throw this.#fail(error as TidegateError)
    })
    await this.#rejections.settled()
    if (this.#failure !== undefined) throw this.#failure
    this.#positions.advance(this.#oldestArrival())
  }

  async #close(): Promise<FlushReport> {
    // let writers that wait have their turn
    await this.#turns.passed()
    let failure: unknown = this.#failure
    try {
      // after a record was refused, what had been accepted before it is still written
      await this.#flushDomains('close')
    } catch (error) {
      failure = error
    }
    await this.#release()
    if (failure !== undefined) throw this.#closeError(failure)
    return this.#report()
  }

  async #release(): Promise<void> {
    this.#positions.end()
    await Promise.allSettled(this.#options.domains.map((domain) => domain.close()))
    const { rejectionPolicy } = this.#options
    if (rejectionPolicy.name === 'dead-letter') await rejectionPolicy.handler.close?.()
  }

  #closeError(failure: unknown): unknown {
    if (!(failure instanceof TidegateError)) return failure
    const unwritten = this.#tables.flatMap(({ plan, domain, index }) =>
      domain
        .unwritten()
        .filter(({ table }) => table === index)
        .flatMap((entry) => entryLetters(plan, entry, 'FLUSH_FAILED', 'not written')),
    )
    return failure instanceof UnwrittenError ? failure.with(unwritten) : new UnwrittenError(failure, unwritten)
  }

  #report(): FlushReport {
    return { account: this.account(), positions: this.positions(), pendingGroups: this.#stage.size }
  }

  #warn(table: string | undefined, message: string): void {
    publishEvent({ type: 'warning', table, message }, this.#options.onEvent)
  }
}

const positionMissing = "has no position, which 'sink.delivery-guarantee' = 'exactly-once' goes by"

function closedError(): TidegateError {
  return new TidegateError('the sink is closed', { code: 'SINK_CLOSED' })
}

/** Id of the group that the changes of one record are, which no source gives to a group of its own. */
const wholeRecord = '\0record'
