import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../adapters/memory/index.ts'
import type { Change } from '../changelog/element.ts'
import { createSink } from '../sink/create-sink.ts'
import {
  disordered,
  grouped,
  illegalChanges,
  insertStream,
  redelivered,
  retractStream,
  upsertStream,
} from './changelog-arbitrary.ts'
import { declaredTable, tableDdl } from './conformance-table.ts'

const columns = 'id INT, v STRING, s BIGINT, PRIMARY KEY (id) NOT ENFORCED'
const table = declaredTable(tableDdl('t', columns, { connector: 'memory', 'sequence.field': 's' }))

describe('a retract stream', () => {
  test('takes back only what stands there, and inserts only what does not', () => {
    fc.assert(
      fc.property(retractStream(table, { keyChanges: true }), (changes) => {
        const rows = new Map<unknown, unknown>()
        for (const { kind, row } of changes) {
          if (kind === '+I') expect(rows.has(row['id'])).toBe(false)
          if (kind === '-U') expect(row).toEqual(rows.get(row['id']))
          if (kind === '-D') expect(rows.has(row['id'])).toBe(true)
          if (kind === '-U' || kind === '-D') rows.delete(row['id'])
          else rows.set(row['id'], row)
        }
      }),
    )
  })

  test('pairs each update-before with the update-after that follows it', () => {
    fc.assert(
      fc.property(retractStream(table, { keyChanges: true }), (changes) => {
        for (const [index, { kind, pair }] of changes.entries()) {
          if (kind !== '-U') continue
          expect(changes[index + 1]).toMatchObject({ kind: '+U', pair })
        }
      }),
    )
  })

  test('has sequences that rise with every new image', () => {
    fc.assert(
      fc.property(retractStream(table), (changes) => {
        const sequences = changes.filter(({ kind }) => kind !== '-U').map(({ row }) => row['s'] as bigint)
        for (const [index, sequence] of sequences.entries()) {
          if (index > 0) expect(sequence).toBeGreaterThan(sequences[index - 1] as bigint)
        }
      }),
    )
  })
})

test('upsert and insert streams carry the kinds of their modes', () => {
  const kinds = (stream: fc.Arbitrary<Change[]>): Set<string> =>
    new Set(fc.sample(stream, { numRuns: 200, seed: 1 }).flatMap((changes) => changes.map(({ kind }) => kind)))
  expect(kinds(retractStream(table))).toEqual(new Set(['+I', '-U', '+U', '-D']))
  expect(kinds(upsertStream(table))).toEqual(new Set(['+I', '+U', '-D']))
  expect(kinds(insertStream(table))).toEqual(new Set(['+I']))
})

test('redelivery goes back and sends everything from there on again', () => {
  const once = retractStream(table).chain((changes) =>
    fc.tuple(fc.constant(changes), redelivered(fc.constant(changes))),
  )
  fc.assert(
    fc.property(once, ([changes, delivered]) => {
      const places = delivered.map((change) => changes.indexOf(change))
      let reached = -1
      for (const [index, place] of places.entries()) {
        expect(place, 'nothing is left out').toBeLessThanOrEqual((places[index - 1] ?? -1) + 1)
        reached = Math.max(reached, place)
      }
      expect(reached, 'the end is reached').toBe(changes.length - 1)
      expect(places.at(-1) ?? -1).toBe(changes.length - 1)
    }),
  )
})

test('disorder that keeps the order of keys only mixes them', () => {
  const mixed = upsertStream(table).chain((changes) =>
    fc.tuple(fc.constant(changes), disordered(changes, table.schema, 'keeping-key-order')),
  )
  fc.assert(
    fc.property(mixed, ([changes, disorderly]) => {
      for (const id of [0, 1, 2, 3]) {
        const of = (list: readonly Change[]): Change[] => list.filter(({ row }) => row['id'] === id)
        expect(of(disorderly)).toEqual(of(changes))
      }
    }),
  )
})

test('groups end, and never between the halves of an update', () => {
  fc.assert(
    fc.property(grouped(retractStream(table)), (elements) => {
      for (const [index, element] of elements.entries()) {
        if (element.type !== 'group-end') continue
        expect(elements[index - 1]).not.toMatchObject({ kind: '-U' })
      }
      if (elements.length > 0) expect(elements.at(-1)).toMatchObject({ type: 'group-end' })
    }),
  )
})

describe('an illegal change is rejected by its code', () => {
  const tables = [
    'id BIGINT, v STRING, n INT NOT NULL, d DATE, u UUID, b BOOLEAN, PRIMARY KEY (id) NOT ENFORCED',
    'a TINYINT, b SMALLINT, t TIMESTAMP(3)',
  ].map((text) => declaredTable(tableDdl('t', text, { connector: 'memory', 'sink.failure-handler': 'skip' })))

  for (const definition of tables) {
    for (const { name, change, code } of illegalChanges(definition.schema)) {
      test(`${name}: ${code}`, async () => {
        const codes: string[] = []
        const sink = await createSink({
          table: definition,
          client: createMemoryStore(),
          onEvent: (event) => {
            if (event.type === 'rejected') codes.push(event.code)
          },
        })
        await sink.write(change)
        await sink.close()
        expect(codes).toEqual([code])
      })
    }
  }
})
