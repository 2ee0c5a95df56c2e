import { setTimeout as delay } from 'node:timers/promises'
import type { Wave, WriteBatch, WriteResult } from '../connector/batch.ts'
import type { Connector, FailureClass, SinkWriter, WriteContext } from '../connector/connector.ts'

/** What goes wrong with one call of `write`. */
export type Fault =
  /** The call fails and the store has seen nothing of it. */
  | { readonly does: 'fail'; readonly as: FailureClass }
  /** The store takes the batch, and the answer is lost. */
  | { readonly does: 'lose-answer'; readonly as?: FailureClass | undefined }
  /** The store takes the first half of the rows; for stores that do not write a batch as a whole. */
  | { readonly does: 'half-apply'; readonly as: FailureClass }
  /** The call is late. */
  | { readonly does: 'delay'; readonly milliseconds: number }
  /** The call waits until the promise resolves. */
  | { readonly does: 'hold'; readonly until: Promise<unknown> }

/** Raised by a faulty connector; carries the class that the connector then gives it. */
export class InjectedFault extends Error {
  readonly as: FailureClass

  constructor(as: FailureClass) {
    super(`injected fault: ${as}`)
    this.name = 'InjectedFault'
    this.as = as
  }
}

export interface FaultyConnector {
  readonly connector: Connector
  /** Every batch that `write` was called with, in order, those of failed calls too. */
  readonly batches: readonly WriteBatch[]
}

/**
 * Any connector with faults at chosen calls of `write`, counted from 1 over all its writers: to test that what must not be
 * lost or doubled is not. Everything else is the connector's own.
 */
export function faultyConnector(connector: Connector, faultAt: (call: number) => Fault | undefined): FaultyConnector {
  const batches: WriteBatch[] = []
  const faulty = overlay<Connector>(connector, {
    async open(context) {
      const writer = await connector.open(context)
      return overlay<SinkWriter>(writer, {
        async write(batch, writeContext) {
          batches.push(batch)
          return await writeWithFault(writer, batch, writeContext, faultAt(batches.length))
        },
      })
    },
    classify: (error) => (error instanceof InjectedFault ? error.as : connector.classify(error)),
  })
  return { connector: faulty, batches }
}

/** The same object with some members replaced; the others stay bound to it, private state included. */
function overlay<T extends object>(original: T, replaced: Partial<T>): T {
  return new Proxy(original, {
    get(target, property) {
      if (Object.hasOwn(replaced, property)) return Reflect.get(replaced, property)
      const member: unknown = Reflect.get(target, property, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

async function writeWithFault(
  writer: SinkWriter,
  batch: WriteBatch,
  context: WriteContext,
  fault: Fault | undefined,
): Promise<WriteResult> {
  switch (fault?.does) {
    case 'fail':
      throw new InjectedFault(fault.as)
    case 'lose-answer':
      await writer.write(batch, context)
      throw new InjectedFault(fault.as ?? 'unknown-outcome')
    case 'half-apply':
      await writer.write(firstHalf(batch), context)
      throw new InjectedFault(fault.as)
    case 'delay':
      await delay(fault.milliseconds, undefined, { signal: context.signal })
      break
    case 'hold':
      await fault.until
      break
    case undefined:
      break
  }
  return await writer.write(batch, context)
}

function firstHalf(batch: WriteBatch): WriteBatch {
  let left = Math.ceil(batch.rowCount / 2)
  const take = (wave: Wave): Wave => {
    const taken = wave.slice(0, left)
    left -= taken.length
    return taken
  }
  const tables = batch.tables.map((table) => ({ ...table, waves: table.waves.map(take) }))
  return { ...batch, tables, rowCount: Math.ceil(batch.rowCount / 2) }
}
