import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change, ChangelogElement } from './element.ts'
import { DeleteCreatePairing, keyOfColumns } from './pair-delete-create.ts'

const byKey = keyOfColumns(['k'])

function run(elements: readonly ChangelogElement[], keyOf?: typeof byKey): ChangelogElement[] {
  const pairing = new DeleteCreatePairing(keyOf)
  const out: ChangelogElement[] = []
  for (const element of elements) pairing.push(element, (emitted) => out.push(emitted))
  pairing.end((emitted) => out.push(emitted))
  return out
}

const change = (kind: Change['kind'], k: string, v: number, partition = 'p'): Change => ({
  kind,
  row: { k, v },
  position: { partition, offset: v },
})
const brief = (elements: readonly ChangelogElement[]) =>
  elements.map((element) =>
    'kind' in element ? `${element.kind}${element.row['k'] as string}${element.row['v'] as number}` : element.type,
  )

test('K6 an adjacent delete and create of one key are the halves of an update', () => {
  const out = run([change('-D', 'a', 1), change('+I', 'a', 2)], byKey)
  expect(brief(out)).toEqual(['-Ua1', '+Ua2'])
  expect(out).toMatchObject([{ pair: -1 }, { pair: -1 }])
})

test('of different keys, or with something between, they stay what they are', () => {
  expect(brief(run([change('-D', 'a', 1), change('+I', 'b', 2)], byKey))).toEqual(['-Da1', '+Ib2'])
  expect(brief(run([change('-D', 'a', 1), change('-D', 'b', 2), change('+I', 'a', 3)], byKey))).toEqual([
    '-Da1',
    '-Db2',
    '+Ia3',
  ])
  expect(brief(run([change('-D', 'a', 1), { type: 'watermark', timestamp: 1 }, change('+I', 'a', 3)], byKey))).toEqual([
    '-Da1',
    'watermark',
    '+Ia3',
  ])
  expect(brief(run([change('-D', 'a', 1)], byKey))).toEqual(['-Da1'])
})

test('changes of other partitions and keys do not part them', () => {
  const inputs = [change('-D', 'a', 1, 'p'), change('+I', 'b', 2, 'q'), change('+I', 'a', 3, 'p')]
  expect(brief(run(inputs, byKey))).toEqual(['+Ib2', '-Ua1', '+Ua3'])
})

test('the order of a key is kept across partitions', () => {
  expect(brief(run([change('-D', 'a', 1, 'p'), change('+I', 'a', 2, 'q')], byKey))).toEqual(['-Ua1', '+Ua2'])
  expect(brief(run([change('-D', 'a', 1, 'p'), change('-D', 'a', 2, 'q')], byKey))).toEqual(['-Da1', '-Da2'])
})

test('without keys what is adjacent in a partition is a pair', () => {
  expect(brief(run([change('-D', 'a', 1), change('+I', 'b', 2)]))).toEqual(['-Ua1', '+Ub2'])
  expect(brief(run([change('-D', 'a', 1, 'p'), change('+I', 'b', 2, 'q')]))).toEqual(['+Ib2', '-Da1'])
})

test('halves that are pairs already, and tables that differ, are left alone', () => {
  expect(brief(run([{ ...change('-D', 'a', 1), pair: 5 }, change('+I', 'a', 2)], byKey))).toEqual(['-Da1', '+Ia2'])
  const tables = [
    { ...change('-D', 'a', 1), table: 't' },
    { ...change('+I', 'a', 2), table: 'u' },
  ]
  expect(brief(run(tables, byKey))).toEqual(['-Da1', '+Ia2'])
})

test('nothing is lost, and each key and each partition keeps its order', () => {
  const anyChange = fc.record({
    kind: fc.constantFrom<Change['kind']>('+I', '-D', '+U', '-U'),
    k: fc.constantFrom('a', 'b'),
    partition: fc.constantFrom('p', 'q'),
  })
  fc.assert(
    fc.property(fc.array(anyChange), (steps) => {
      const inputs = steps.map(({ kind, k, partition }, index) => change(kind, k, index, partition))
      const out = run(inputs, byKey) as Change[]
      for (const [name, of] of [
        ['key', (each: Change) => each.row['k']],
        ['partition', (each: Change) => each.position?.partition],
      ] as const) {
        for (const value of new Set(inputs.map(of))) {
          const order = (changes: readonly Change[]) =>
            changes.filter((each) => of(each) === value).map((each) => each.row['v'])
          expect(order(out), name).toEqual(order(inputs))
        }
      }
    }),
  )
})
