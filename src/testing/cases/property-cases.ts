import type { Change } from '../../changelog/element.ts'
import type { TableDefinition } from '../../ddl/table-definition.ts'
import { assertAccountCloses, type CaseContext } from '../case-context.ts'
import { formatChangelog } from '../changelog-text.ts'
import { model } from '../model.ts'
import type { FreeCase } from './free-case.ts'
import { type PropertySubject, propertySubjects } from './property-subjects.ts'

/** The same changelogs in every run, so that a fault is found again. */
const seed = 20_261_130
const changelogCount = 6

/** Random legal changelogs: whatever the cut, the store ends as the model says. */
export const propertyCases: readonly FreeCase[] = propertySubjects.flatMap((subject) => [
  {
    id: `property-cut-${slug(subject.name)}`,
    title: `C1 random changelogs, cut anywhere, end as the model says: ${subject.name}`,
    needs: subject.needs,
    ask: subject,
    run: async (context) => {
      const { cuts, sampleOf, streamOf } = await import('../changelog-arbitrary.ts')
      const table = await declared(context, subject)
      const runs = streamOf(table, subject.stream, subject.shape).chain((changes) =>
        cuts(changes.length).map((places) => ({ changes, places })),
      )
      for (const { changes, places } of sampleOf(runs, changelogCount, seed)) {
        await expectModel(context, subject, changes, changes, places)
      }
    },
  },
  {
    id: `property-redelivery-${slug(subject.name)}`,
    title: `K1 random changelogs, delivered more than once, end as the model says: ${subject.name}`,
    needs: subject.needs,
    ask: subject,
    run: async (context) => {
      const { cuts, redelivered, sampleOf, streamOf, unchanging } = await import('../changelog-arbitrary.ts')
      const table = await declared(context, subject)
      const runs = streamOf(table, subject.stream, subject.shape).chain((once) =>
        redelivered(unchanging(once)).chain((changes) =>
          cuts(changes.length).map((places) => ({ once, changes, places })),
        ),
      )
      for (const { once, changes, places } of sampleOf(runs, changelogCount, seed + 1)) {
        await expectModel(context, subject, changes, subject.countsTwice === true ? changes : once, places)
      }
    },
  },
  ...(subject.orderFree === true ? [orderCase(subject)] : []),
])

function orderCase(subject: PropertySubject): FreeCase {
  return {
    id: `property-order-${slug(subject.name)}`,
    title: `G1 random changelogs with different sequences, in any order, end as the model says: ${subject.name}`,
    needs: subject.needs,
    ask: subject,
    run: async (context) => {
      const { cuts, disordered, sampleOf, streamOf } = await import('../changelog-arbitrary.ts')
      const table = await declared(context, subject)
      const runs = streamOf(table, subject.stream, subject.shape).chain((changes) => {
        const sent = changes.filter(({ kind }) => kind !== '-U')
        return disordered(sent, table.schema, 'breaking-key-order').chain((shuffled) =>
          cuts(shuffled.length).map((places) => ({ sent, shuffled, places })),
        )
      })
      for (const { sent, shuffled, places } of sampleOf(runs, changelogCount, seed + 2)) {
        await expectModel(context, subject, shuffled, sent, places)
      }
    },
  }
}

async function declared(context: CaseContext, { columns, options }: PropertySubject): Promise<TableDefinition> {
  return await context.table(columns, options)
}

/** Writes `changes` into a new table and expects what the model makes of `meant`. */
async function expectModel(
  context: CaseContext,
  { columns, options }: PropertySubject,
  changes: readonly Change[],
  meant: readonly Change[],
  places: readonly number[],
): Promise<void> {
  const table = await context.table(columns, options)
  const sink = await context.open(table)
  for (const [index, change] of changes.entries()) {
    await sink.write(change)
    if (places.includes(index + 1)) await sink.flush()
  }
  assertAccountCloses(await sink.close())
  const text = formatChangelog(table.schema, changes)
  await context.expectRows(table, model(table, meant).rows, `flushed after ${places.join(', ')}: ${text}`)
}

function slug(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
