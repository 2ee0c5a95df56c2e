import { expect, test } from 'vitest'
import type { Change } from '../changelog/element.ts'
import { brief, decodeAll } from '../testing/decode-all.ts'

const relation = { relationOid: 1, schema: 'public', name: 't', replicaIdentity: 'default', keyColumns: ['id'] }
const decode = (messages: object[], primaryKey?: string[]) =>
  decodeAll(
    'pgoutput',
    messages.map((message) => ({ lsn: '0/1', message })),
    { primaryKey },
  )

test('B2 a transaction is a group, and only the end of its commit is a position', () => {
  const elements = decode([
    { tag: 'begin', commitLsn: '0/A', xid: 1 },
    { tag: 'insert', relation, new: { id: 1 } },
    { tag: 'commit', commitLsn: '0/A', commitEndLsn: '0/B' },
    { tag: 'insert', relation, new: { id: 2 } },
  ])
  expect(elements).toMatchObject([
    { kind: '+I', group: '0/A', table: 'public.t' },
    { type: 'group-end', group: '0/A', position: { partition: '', offset: '0/B' } },
    { kind: '+I', group: undefined },
  ])
  expect(elements.map(({ position }) => position?.offset)).toEqual([undefined, '0/B', undefined])
})

test('K6 a key image that differs is a change of key, also where columns were not logged', () => {
  const elements = decode([{ tag: 'update', relation, key: { id: 1 }, old: null, new: { id: 2, a: 'x' } }])
  expect(brief(elements)).toEqual(['-D {"id":1}', '+I {"id":2,"a":"x"}'])
  expect(elements).toMatchObject([{ pair: 1, more: true }, { pair: 1 }])
})

test('a key image that does not differ is no -U', () => {
  expect(brief(decode([{ tag: 'update', relation, key: { id: 1 }, old: null, new: { id: 1, a: 'x' } }]))).toEqual([
    '+U {"id":1,"a":"x"}',
  ])
})

test('K6 under REPLICA IDENTITY FULL the key is the table’s own, not every column', () => {
  const full = {
    ...relation,
    replicaIdentity: 'full',
    keyColumns: ['id', 'a'],
    columns: [{ name: 'id' }, { name: 'a' }],
  }
  const update = { tag: 'update', relation: full, key: null, old: { id: 1, a: 'x' }, new: { id: 1, a: 'y' } }
  expect(brief(decode([update], ['id']))).toEqual(['-U {"id":1,"a":"x"}', '+U {"id":1,"a":"y"}'])
  expect(brief(decode([update]))).toEqual(['-U {"id":1,"a":"x"}', '+U {"id":1,"a":"y"}'])
  const moved = { ...update, new: { id: 2, a: 'x' } }
  expect(brief(decode([moved], ['id']))).toEqual(['-D {"id":1,"a":"x"}', '+I {"id":2,"a":"x"}'])
})

test('a column that is undefined was not logged', () => {
  const [element] = decode([
    { tag: 'update', relation, key: null, old: null, new: { id: 1, toast: undefined, a: null } },
  ])
  expect(brief(element === undefined ? [] : [element])).toEqual(['+U {"id":1,"a":null}'])
})

test('relations may come ahead of the rows that name them by their oid, and their changes are reported', () => {
  const columns = [{ name: 'id', typeOid: 20 }]
  const described = { tag: 'relation', ...relation, columns }
  const elements = decode([
    described,
    { tag: 'insert', relation: { relationOid: 1 }, new: { id: 1 } },
    { ...described, columns: [...columns, { name: 'a', typeOid: 25 }] },
  ])
  expect(elements).toMatchObject([
    { kind: '+I', table: 'public.t' },
    { type: 'schema-change', table: 'public.t' },
  ])
})

test('K5 a truncate empties each table that it names', () => {
  const other = { ...relation, relationOid: 2, name: 'u' }
  expect(decode([{ tag: 'truncate', relations: [relation, other] }])).toMatchObject([
    { type: 'truncate', table: 'public.t' },
    { type: 'truncate', table: 'public.u' },
  ])
})

test('messages that carry no row pass; the format is known without the LSN around them', () => {
  expect(decodeAll('pgoutput', [{ tag: 'origin' }, { tag: 'type' }, { tag: 'message', content: {} }])).toEqual([])
  expect(brief(decodeAll('pgoutput', [{ tag: 'insert', relation, new: { id: 1 } }]))).toEqual(['+I {"id":1}'])
})

test('faults name what is missing', () => {
  expect(() => decode([{ tag: 'odd' }])).toThrow('has no "tag" that pgoutput knows')
  expect(() => decode([{ tag: 'insert', relation: 9, new: {} }])).toThrow('a relation that was never described')
  expect(() => decode([{ tag: 'delete', relation, key: null, old: null }])).toThrow('the table has no replica identity')
})

test('bytea is read as PostgreSQL prints it', () => {
  const [change] = decode([{ tag: 'insert', relation, new: { id: 1, b: '\\x00ff' } }])
  expect((change as Change).encoding).toEqual({ bytes: 'postgres' })
})
