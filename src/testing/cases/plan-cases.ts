import assert from 'node:assert/strict'
import type { ErrorCode } from '../../errors.ts'
import { EventRecord } from '../case-context.ts'
import { type FreeCase, people } from './free-case.ts'
import { aggregate, firstRow, gate, hardDeletes, type Need, partialUpdate, tombstones, upserts } from './need.ts'

/** What a plan refuses whatever the store, and which option or column it names. */
const refused: readonly {
  readonly id: string
  readonly title: string
  readonly needs: readonly Need[]
  readonly columns: string
  readonly options: Readonly<Record<string, string>>
  readonly names: RegExp
}[] = [
  {
    id: 'refuse-updates-without-key',
    title: 'K4 a stream of updates into a table without a primary key is refused',
    needs: [upserts],
    columns: 'name STRING, city STRING',
    options: { 'source.changelog-mode': 'retract', 'sink.accept-duplicates': 'true' },
    names: /PRIMARY KEY/,
  },
  {
    id: 'refuse-retracts-of-max',
    title: 'A2 retractions into a function that takes none are refused when the mode is known',
    needs: [upserts, aggregate('max')],
    columns: 'id INT, v INT, PRIMARY KEY (id) NOT ENFORCED',
    options: {
      'merge-engine': 'aggregation',
      'fields.v.aggregate-function': 'max',
      'source.changelog-mode': 'retract',
    },
    names: /\bv\b.*max/,
  },
  {
    id: 'refuse-deletes-of-first-row',
    title: 'A2 deletes into first-row are refused when the mode is known',
    needs: [upserts, firstRow],
    columns: people,
    options: { 'merge-engine': 'first-row', 'source.changelog-mode': 'upsert' },
    names: /first-row/,
  },
  {
    id: 'refuse-deletes-of-partial-update',
    title: 'A2 deletes into partial-update without groups are refused when the mode is known',
    needs: [upserts, partialUpdate],
    columns: people,
    options: { 'merge-engine': 'partial-update', 'source.changelog-mode': 'retract' },
    names: /partial-update/,
  },
  {
    id: 'refuse-hard-deletes-with-sequence',
    title: 'G2 hard deletes with a sequence are refused, since nothing would keep older changes out',
    needs: [upserts, gate, tombstones, hardDeletes],
    columns: 'id INT, v STRING, s BIGINT, PRIMARY KEY (id) NOT ENFORCED',
    options: { 'sequence.field': 's', 'sink.delete.mode': 'hard' },
    names: /sink\.delete\.mode/,
  },
  {
    id: 'refuse-foreign-upsert-key',
    title: 'O2 an upsert key that is not the primary key is refused until a policy is named',
    needs: [upserts],
    columns: people,
    options: { 'sink.upsert-key': 'name' },
    names: /sink\.upsert-key/,
  },
  {
    id: 'refuse-unwritten-sequence',
    title: 'G7 a sequence that is no column of the table is refused',
    needs: [upserts],
    columns: people,
    options: { 'sequence.field': 'nowhere' },
    names: /sequence\.field.*nowhere/s,
  },
]

const counting = {
  columns: 'id INT, v INT, PRIMARY KEY (id) NOT ENFORCED',
  options: { 'merge-engine': 'aggregation', 'fields.v.aggregate-function': 'sum' },
}
const fineSequence = {
  columns: 'id INT, v STRING, s TIMESTAMP(9), PRIMARY KEY (id) NOT ENFORCED',
  options: { 'sequence.field': 's' },
}

/** Refusals that do not hang on a capability alone, and what may come under a known mode (rules K4, K7, A2, A3, G2, G7, O2). */
export const planCases: readonly FreeCase[] = [
  ...refused.map(
    ({ id, title, needs, columns, options, names }): FreeCase => ({
      id,
      title,
      run: async (context) => {
        // where the store lacks what the plan needs, that may be the reason
        const declared = await context.declares(needs)
        const codes: readonly ErrorCode[] = declared ? ['PLAN_REFUSED'] : ['PLAN_REFUSED', 'CAPABILITY_MISSING']
        const error = await context.expectRefused(await context.table(columns, options), codes)
        if (declared) assert.match(error.message, names, 'a refusal names the option or the column')
        assert.ok(
          error.problems.every(({ subject }) => subject !== ''),
          'every problem has a subject',
        )
      },
    }),
  ),
  {
    id: 'known-mode',
    title: 'K7 a kind that the declared mode does not have is rejected when it comes',
    needs: [upserts],
    run: async (context) => {
      const options = { 'source.changelog-mode': 'upsert', 'sink.failure-handler': 'skip' }
      const table = await context.table(people, options)
      const { account } = await context.write(table, '+I 1 ann rome | -U 1 ann rome | +U 1 ann oslo')
      assert.equal(account.rejected, 1)
      await context.expectRows(table, ['1 ann oslo'])
    },
  },
  {
    id: 'move-or-rejected',
    title: 'K6 columns that the new image lacks move with the row, or the move is rejected by code',
    needs: [upserts],
    run: async (context) => {
      const table = await context.table(people, { 'sink.failure-handler': 'skip' })
      await context.write(table, '+I 1 ann rome | +I 2 bob oslo')
      const record = new EventRecord()
      await context.write(table, '-U 1 #pair=1 | +U 3 eve ~ #pair=1', { onEvent: record.listen })
      const codes = record.of('rejected').map(({ code }) => code)
      if ((await context.capabilities()).moves) {
        assert.deepEqual(codes, [])
        await context.expectRows(table, ['2 bob oslo', '3 eve rome'])
      } else {
        assert.deepEqual(codes, ['MOVE_WITHOUT_ROW'])
        assert.ok(!(await context.rows(table)).some(({ id }) => id === 3), 'no half of a row is written')
      }
    },
  },
  {
    id: 'accept-duplicates',
    title: 'A3 a function that counts twice needs exactly-once delivery or sink.accept-duplicates',
    needs: [upserts, aggregate('sum')],
    ask: { ...counting, options: { ...counting.options, 'sink.accept-duplicates': 'true' } },
    run: async (context) => {
      const { columns, options } = counting
      const { volatile } = await context.capabilities()
      const table = await context.table(columns, options)
      if (volatile) await context.write(table, '+I 1 2')
      else await context.expectRefused(table, ['PLAN_REFUSED'])
      const accepting = await context.table(columns, { ...options, 'sink.accept-duplicates': 'true' })
      await context.write(accepting, '+I 1 2 | +I 1 3')
      await context.expectRows(accepting, ['1 5'])
    },
  },
  {
    id: 'sequence-precision',
    title: 'G7 a sequence is kept as finely as it is declared, or refused',
    needs: [upserts, gate, tombstones],
    ask: fineSequence,
    run: async (context) => {
      const table = await context.table(fineSequence.columns, fineSequence.options)
      const { typeMapping } = context.harness.connector
      const type = { name: 'TIMESTAMP', precision: 9 } as const
      if (typeMapping.nativeType(type) === undefined || typeMapping.sequenceFault(type) !== undefined) {
        await context.expectRefused(table, ['PLAN_REFUSED', 'CAPABILITY_MISSING'])
        return
      }
      const second = '2026-01-01T00:00:00'
      await context.write(table, `+I 1 a ${second}.000000002 | +U 1 b ${second}.000000001`)
      await context.expectRows(table, [`1 a ${second}.000000002`])
    },
  },
  {
    id: 'differing-guarantees',
    title: 'B4 tables that are flushed together and differ in what is promised are refused',
    needs: [upserts],
    run: async (context) => {
      const one = await context.table(people, { 'sink.failure-handler': 'skip' })
      const other = await context.table(people, { 'sink.failure-handler': 'fail' })
      if (!(await context.shareDomain([one, await context.table(people, { 'sink.failure-handler': 'skip' })]))) return
      const error = await context.expectRefused([one, other], ['PLAN_REFUSED'])
      assert.match(error.message, /sink\.failure-handler/)
    },
  },
]
