import { expect, test } from 'vitest'
import { memory } from '../../adapters/memory/index.ts'
import { must } from '../assert.ts'
import type { WriteBatch } from '../connector/batch.ts'
import type { Connector, OpenContext, SinkWriter } from '../connector/connector.ts'
import type { MergeChange } from '../merge/merge-change.ts'
import type { TablePlan } from '../plan/plan.ts'
import type { FoldKey } from '../row/row-key.ts'
import { conformance } from './conformance.ts'
import { memoryHarness } from './memory-harness.ts'

/** A suite is worth what it finds: each of these connectors breaks one rule, and a case must say so. */
const broken: readonly { readonly fault: string; readonly connector: Connector; readonly foundBy: string }[] = [
  {
    fault: 'forgets deletes',
    connector: changingBatches((batch) => withChanges(batch, (changes) => changes.filter(({ op }) => op !== 'delete'))),
    foundBy: 'delete-existing',
  },
  {
    fault: 'writes NULL for what is absent',
    connector: changingBatches((batch) => withChanges(batch, (changes) => changes.map(withNulls))),
    foundBy: 'absent-keeps',
  },
  {
    fault: 'writes only the first wave',
    connector: changingBatches((batch) => ({
      ...batch,
      tables: batch.tables.map((table) => ({ ...table, waves: table.waves.slice(0, 1) })),
    })),
    foundBy: 'product-product-rounds-to-the-scale-of-its-column',
  },
  {
    fault: 'does not truncate',
    connector: changingBatches((batch) => ({
      ...batch,
      tables: batch.tables.map((table) => ({ ...table, truncate: false })),
    })),
    foundBy: 'truncate-applied',
  },
  {
    fault: 'does not compare sequences',
    connector: changingPlans((plan) => ({ ...plan, merge: { ...plan.merge, sequence: undefined } })),
    foundBy: 'gate-older',
  },
  {
    fault: 'lets the later arrival win where the earlier one should',
    connector: changingPlans((plan) => {
      const { sequence } = plan.merge
      return { ...plan, merge: { ...plan.merge, sequence: sequence && { ...sequence, tie: 'last-arrival' } } }
    }),
    foundBy: 'gate-tie-first',
  },
  {
    fault: 'compares sequences with what it wrote itself, not with what is stored',
    connector: gatedByMemoryOfItsOwn(),
    foundBy: 'concurrent-gate',
  },
  {
    fault: 'leaves no tombstones',
    connector: changingPlans((plan) => ({
      ...plan,
      merge: { ...plan.merge, deletedFlag: undefined, deleteMode: 'hard' },
    })),
    foundBy: 'late-upsert-after-delete',
  },
  {
    fault: 'writes the changes of a flush one by one',
    connector: changingWrites(async (writer, batch, context) => {
      let result = await writer.write({ ...batch, tables: [] }, context)
      for (const table of batch.tables) {
        for (const change of table.waves.flat()) {
          const tables = [{ ...table, truncate: false, waves: [[change]] }]
          result = await writer.write({ ...batch, tables }, context)
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      return result
    }),
    foundBy: 'group-transfers',
  },
  {
    fault: 'answers before it writes',
    connector: changingWrites(async (writer, batch, context) => {
      setTimeout(() => void writer.write(batch, context).catch(() => {}), 20)
      return { tables: batch.tables.map(({ waves }) => ({ written: waves.flat().length, stale: 0 })) }
    }),
    foundBy: 'flush-explicit',
  },
  {
    fault: 'cannot tell whether a batch was committed, and says no',
    connector: {
      ...memory,
      open: async (context) => ({ ...membersOf(await memory.open(context)), committed: async () => false }),
    },
    foundBy: 'exactly-once-lost-answers',
  },
  {
    fault: 'takes upper and lower case for the same key',
    connector: {
      ...memory,
      typeMapping: {
        ...memory.typeMapping,
        keyNormalizer: () => (value) => (typeof value === 'string' ? value.toLowerCase() : value),
      },
    },
    foundBy: 'keys-string',
  },
  {
    fault: 'throws when it classifies what is no error',
    connector: { ...memory, classify: (error) => ((error as Error).message === '' ? 'row' : 'fatal') },
    foundBy: 'classify-is-total',
  },
]

test.each(broken)('a connector that $fault is found by $foundBy', async ({ connector, foundBy }) => {
  const cases = conformance({ ...memoryHarness(), connector })
  const found = must(
    cases.find(({ id }) => id === foundBy),
    `there is a case ${foundBy}`,
  )
  await expect(found.run()).rejects.toMatchObject({ name: expect.stringMatching(/^(Assertion|Type)Error$/) })
})

function changingBatches(change: (batch: WriteBatch) => WriteBatch): Connector {
  return changingWrites((writer, batch, context) => writer.write(change(batch), context))
}

function changingWrites(
  write: (writer: SinkWriter, ...call: Parameters<SinkWriter['write']>) => ReturnType<SinkWriter['write']>,
): Connector {
  return {
    ...memory,
    open: async (context) => {
      const writer = await memory.open(context)
      return { ...membersOf(writer), write: (batch, writeContext) => write(writer, batch, writeContext) }
    },
  }
}

function changingPlans(change: (plan: TablePlan) => TablePlan): Connector {
  return {
    ...memory,
    open: (context: OpenContext) => memory.open({ ...context, tables: context.tables.map(change) }),
  }
}

/** What a writer does that caches the newest versions: right as long as it is alone. */
function gatedByMemoryOfItsOwn(): Connector {
  return {
    ...memory,
    open: async (context) => {
      const newest = new Map<FoldKey, bigint>()
      const tables = context.tables.map((plan) => ({ ...plan, merge: { ...plan.merge, sequence: undefined } }))
      const at = context.tables[0]?.merge.sequence?.columns[0] ?? 0
      const isNewer = ({ key, row }: MergeChange): boolean => {
        const sequence = row[at] as bigint
        if (sequence < (newest.get(key) ?? sequence)) return false
        newest.set(key, sequence)
        return true
      }
      const writer = membersOf(await memory.open({ ...context, tables }))
      return {
        ...writer,
        write: (batch, writeContext) =>
          writer.write(
            withChanges(batch, (changes) => changes.filter(isNewer)),
            writeContext,
          ),
      }
    },
  }
}

function membersOf(writer: SinkWriter): SinkWriter {
  return {
    server: writer.server,
    positions: writer.positions,
    write: (batch, context) => writer.write(batch, context),
    committed: async (batchId) => await writer.committed?.(batchId),
    close: () => writer.close(),
  }
}

function withChanges(
  batch: WriteBatch,
  change: (changes: readonly MergeChange[]) => readonly MergeChange[],
): WriteBatch {
  return { ...batch, tables: batch.tables.map((table) => ({ ...table, waves: table.waves.map(change) })) }
}

function withNulls(change: MergeChange): MergeChange {
  return { ...change, row: change.row.map((value) => value ?? null) }
}
