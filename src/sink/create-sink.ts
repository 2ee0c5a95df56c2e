import { setMaxListeners } from 'node:events'
import { AccountCounters } from '../buffer/account.ts'
import type { Connector, SinkWriter } from '../connector/connector.ts'
import { storeKeyCodec } from '../connector/store-key-codec.ts'
import { parseScript } from '../ddl/parse-script.ts'
import { pickTable } from '../ddl/pick-table.ts'
import { createDeadLetterFile } from '../delivery/dead-letter-file.ts'
import { DurablePositions } from '../delivery/durable-positions.ts'
import type { RejectionPolicy } from '../delivery/failure-handler.ts'
import { FlushDomain } from '../delivery/flush-domain.ts'
import { publishEvent, type SinkEventListener } from '../delivery/sink-event.ts'
import { TidegateError } from '../errors.ts'
import { createMergeFunction } from '../merge/create-merge-function.ts'
import type { DeliveryPlan, SinkPlan } from '../plan/plan.ts'
import { checkSinkOptions, checkSinksOptions } from './check-sink-options.ts'
import type { CreateSinkOptions, CreateSinksOptions } from './create-sink-options.ts'
import { definitionsOf, type PlannedDomain, planDomains, readTables, writtenTables } from './plan-tables.ts'
import { Sink } from './sink.ts'
import type { SinkTable } from './sink-table.ts'
import { TableIntake } from './table-intake.ts'
import { TableRouter } from './table-router.ts'

/** Opens a sink for one table. Throws a `TidegateError` that names everything wrong with table, options, plan or target. */
export async function createSink(options: CreateSinkOptions): Promise<Sink> {
  checkSinkOptions(options)
  const { table, name, ...rest } = options
  if (typeof table !== 'string') return await createSinks({ ...rest, tables: [table] })
  const script = parseScript(table)
  // without a name the choice must be clear
  return await createSinks({ ...rest, tables: writtenTables(script, name ?? pickTable(script).path.join('.')) })
}

/**
 * Opens one sink for several tables. Changes are routed by `change.table` (see `source.table`); tables of one server share
 * a flush domain, so what a source transaction did to several of them becomes visible at once (rule B4).
 */
export async function createSinks(options: CreateSinksOptions): Promise<Sink> {
  checkSinksOptions(options)
  return await openSink(await planTables(options), options)
}

/** Reads the options of every table and plans each flush domain; touches no store. */
export async function planTables(options: CreateSinksOptions): Promise<readonly PlannedDomain[]> {
  return planDomains(await readTables(definitionsOf(options.tables), options.connectors), options.source)
}

export interface OpenSinkOptions extends Omit<CreateSinksOptions, 'tables' | 'connectors' | 'source'> {
  /** In place of what `failureHandler` and the plan say. */
  readonly rejectionPolicy?: RejectionPolicy | undefined
}

interface OpenDomain extends PlannedDomain {
  readonly writer: SinkWriter
}

/** Opens a sink by plans that are made already. */
export async function openSink(planned: readonly PlannedDomain[], options: OpenSinkOptions): Promise<Sink> {
  const abortController = new AbortController()
  // every request under way listens to it, of all lanes
  setMaxListeners(0, abortController.signal)
  const opened: OpenDomain[] = []
  try {
    for (const { connector, plan } of planned) {
      opened.push({
        connector,
        plan,
        writer: await openWriter(
          connector,
          plan,
          clientOf(connector, options),
          abortController.signal,
          options.onEvent,
        ),
      })
    }
    return assemble(opened, options, abortController)
  } catch (error) {
    await Promise.allSettled(opened.map(({ writer }) => writer.close()))
    throw error
  }
}

function clientOf({ name }: Connector, { client, clients = {} }: OpenSinkOptions): unknown {
  return Object.hasOwn(clients, name) ? clients[name] : client
}

async function openWriter(
  connector: Connector,
  plan: SinkPlan,
  client: unknown,
  signal: AbortSignal,
  onEvent: SinkEventListener | undefined,
): Promise<SinkWriter> {
  const warn = (table: string, message: string): void => publishEvent({ type: 'warning', table, message }, onEvent)
  const context = { plan, tables: plan.tables, client, lanes: plan.flush.lanes, inFlightPerLane: 2, signal, warn }
  try {
    return await connector.open(context)
  } catch (error) {
    if (error instanceof TidegateError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const auth = connector.classify(error) === 'auth'
    throw new TidegateError(`${connector.name} cannot be opened: ${reason}`, {
      code: auth ? 'STORE_AUTH' : 'STORE_UNAVAILABLE',
      connector: connector.name,
      cause: error,
    })
  }
}

function assemble(opened: readonly OpenDomain[], options: OpenSinkOptions, abortController: AbortController): Sink {
  const account = new AccountCounters()
  const start = new Map(opened.flatMap(({ writer }) => [...(writer.positions ?? [])]))
  const positions = new DurablePositions(start)
  const tables: SinkTable[] = []
  const domains: FlushDomain[] = []
  const [first] = opened as [OpenDomain]
  const rejectionPolicy = policyOf(options, first.plan.delivery)
  const late: { sink?: Sink } = {}
  const theSink = (): Sink => late.sink as Sink
  for (const { connector, plan, writer } of opened) {
    const own = plan.tables.map((table) => ({
      plan: table,
      merge: createMergeFunction(table.merge),
      keys: storeKeyCodec(connector.typeMapping, table.schema),
    }))
    const domain: FlushDomain = new FlushDomain({
      plan,
      connector,
      writer,
      tables: own,
      account,
      signal: abortController.signal,
      onEvent: options.onEvent,
      keepsGoing: rejectionPolicy.name !== 'fail',
      onRejected: (rejected) => theSink().storeRejected(domain, rejected),
      onGroupRejected: (entries, reason) => theSink().groupRejected(domain, entries, reason),
      onSettled: () => theSink().settled(),
      positionsAt: (arrival) => positions.at(arrival),
      arrivalBound: () => theSink().arrivalBound(),
    })
    domains.push(domain)
    for (const [index, table] of own.entries()) {
      const intake = new TableIntake(table.plan, table.keys)
      tables.push({ ...table, intake, domain, index, ledger: writer.positions })
    }
  }
  const plan: SinkPlan = { ...first.plan, tables: tables.map((table) => table.plan) }
  const sink = new Sink({
    plan,
    server: [...new Set(opened.map(({ writer }) => writer.server))].join(', '),
    tables,
    domains,
    router: new TableRouter(plan.tables),
    account,
    positions,
    rejectionPolicy,
    abortController,
    onEvent: options.onEvent,
    observer: options.observer,
  })
  late.sink = sink
  abortWith(sink, options.signal)
  return sink
}

function policyOf({ rejectionPolicy, failureHandler }: OpenSinkOptions, plan: DeliveryPlan): RejectionPolicy {
  if (rejectionPolicy !== undefined) return rejectionPolicy
  if (failureHandler !== undefined) return { name: 'dead-letter', handler: failureHandler }
  if (plan.failureHandler === 'dead-letter' && plan.deadLetterPath !== undefined) {
    return { name: 'dead-letter', handler: createDeadLetterFile(plan.deadLetterPath) }
  }
  return { name: plan.failureHandler === 'skip' ? 'skip' : 'fail' }
}

function abortWith(sink: Sink, signal: AbortSignal | undefined): void {
  if (signal === undefined) return
  const abort = (): void => {
    void sink.abort(signal.reason)
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
}
