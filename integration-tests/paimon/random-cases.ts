import { type AggregateFunction, aggregateFunctions, takesRetract } from '../../src/merge/merge-plan.ts'
import type { RowKind } from '../../src/row/row-kind.ts'
import type { PaimonCase, PaimonRecord } from './paimon-case.ts'
import type { Random } from './random.ts'

/**
 * Random tables and changes on which tidegate must agree with Paimon 1.4.2. What is known to differ is not generated:
 *
 * - A key has several records: Paimon does not pass a lone one through its merge function.
 * - Descending sequences come in one commit a round: in one commit 1.4.2 forgets the order.
 * - Sums stay small and listagg entries are not blank: overflow checks and blanks are newer than 1.4.2.
 * - A `-D` that removes a row carries nothing but its sequences: Paimon takes its image for the next row.
 * - Groups that remove rows get their records in order: Paimon shows a removed row again at a late one.
 * - Groups with first_* or last_non_null_value get theirs in order too: Paimon keeps no sequence of the column.
 * - A key of a table with groups starts with an add: Paimon takes the image of a first `-D` for the row.
 * - After the removal of a row comes an add: Paimon shows the row again at a `-U`, even one that it ignores.
 * - A `-D` that removes a row names the sequence of every group: Paimon sets a group's sequence back to null otherwise.
 * - A group that removes rows has no first_* column: Paimon takes it for set after the removal.
 * - Under `partial-update` a compound `sequence.field` is null as a whole or not at all: Paimon overwrites its columns one
 *   by one, so that parts of two records mix.
 * - A `-U` under `deduplicate` is the image of a version that was there; Paimon deletes whatever it says.
 */
export function randomCase(random: Random, id: string): PaimonCase {
  return random.pick(families)(random, id)
}

type Family = (random: Random, id: string) => PaimonCase

const keyCount = 8
const roundCount = 7

interface Table {
  readonly columns: Record<string, string>
  readonly options: Record<string, string>
  readonly sinkOptions: Record<string, string>
  readonly commit: PaimonCase['commit']
  readonly notAfterRetract: readonly string[]
  readonly showsRetracted: boolean
}

/** Makes the records of one key, one after the other; undefined: none in this round. */
type KeyHistory = () => PaimonRecord | undefined

function build(id: string, table: Table, history: (key: number) => KeyHistory): PaimonCase {
  const histories = Array.from({ length: keyCount }, (_, key) => history(key))
  const rounds = Array.from({ length: roundCount }, () => histories.flatMap((next) => next() ?? []))
  const columns = Object.entries(table.columns).map(([name, type]) => ({ name, type }))
  return { id, ...table, columns: [{ name: 'k', type: 'INT NOT NULL' }, ...columns], rounds }
}

const plainTable = { sinkOptions: {}, notAfterRetract: [], showsRetracted: false }

/** A sequence of one or two columns, or none. */
function sequenceNames(random: Random, prefix = 's'): string[] {
  return random.chance(70) ? [prefix] : [prefix, `${prefix}2`]
}

function sequenceValue(random: Random): number | null {
  return random.chance(12) ? null : random.below(6)
}

function deduplicate(random: Random, id: string): PaimonCase {
  const table: Table = {
    ...plainTable,
    columns: { a: 'INT', b: 'STRING' },
    options: { 'merge-engine': 'deduplicate' },
    commit: random.pick(['one', 'each']),
    sinkOptions: { 'sink.ignore.update-before': 'false' },
  }
  return build(id, table, (key) => {
    let current: readonly unknown[] | undefined
    return () => {
      const kind = random.pick<RowKind>(current === undefined ? ['+I', '+U'] : ['+I', '+U', '+U', '-D', '-U'])
      const row = kind === '-U' ? current : [key, random.below(5), random.chance(20) ? null : `b${random.below(5)}`]
      current = kind === '-U' || kind === '-D' ? undefined : row
      return { kind, row: row ?? [] }
    }
  })
}

/** The payload follows from the sequence, so that a `-U` always names a version that was there. */
function deduplicateBySequence(random: Random, id: string): PaimonCase {
  const sequence = sequenceNames(random)
  const descending = random.chance(30)
  const table: Table = {
    ...plainTable,
    columns: { a: 'STRING', ...Object.fromEntries(sequence.map((name) => [name, 'INT'])) },
    options: {
      'merge-engine': 'deduplicate',
      'sequence.field': sequence.join(','),
      ...(descending ? { 'sequence.field.sort-order': 'descending' } : {}),
    },
    sinkOptions: { 'sink.ignore.update-before': 'false' },
    commit: descending ? 'each' : random.pick(['one', 'each']),
  }
  return build(id, table, (key) => () => {
    const tuple = sequence.map(() => sequenceValue(random))
    return { kind: random.pick(['+I', '+U', '+U', '-U', '-D']), row: [key, `v${tuple.join()}`, ...tuple] }
  })
}

function firstRow(random: Random, id: string): PaimonCase {
  const table: Table = {
    ...plainTable,
    columns: { a: 'INT', b: 'STRING' },
    options: { 'merge-engine': 'first-row' },
    commit: 'each',
  }
  return build(id, table, (key) => () => ({
    kind: random.pick(['+I', '+U']),
    row: [key, sequenceValue(random), random.chance(30) ? null : `b${random.below(9)}`],
  }))
}

function partialUpdate(random: Random, id: string): PaimonCase {
  const sequence = random.chance(60) ? sequenceNames(random) : []
  const removes = random.chance(50)
  const ignores = !removes && random.chance(30)
  const table: Table = {
    ...plainTable,
    columns: { a: 'INT', b: 'INT', c: 'BIGINT', ...Object.fromEntries(sequence.map((name) => [name, 'INT'])) },
    options: {
      'merge-engine': 'partial-update',
      ...(sequence.length > 0 ? { 'sequence.field': sequence.join(',') } : {}),
      ...(removes ? { 'partial-update.remove-record-on-delete': 'true' } : {}),
      ...(ignores ? { 'ignore-delete': 'true' } : {}),
    },
    sinkOptions: sequence.length > 0 && removes ? { 'sink.delete.mode': 'tombstone' } : {},
    commit: random.pick(['one', 'each']),
  }
  return build(id, table, (key) => () => {
    const kind = random.pick<RowKind>(
      removes ? ['+I', '+U', '+U', '-D'] : ignores ? ['+I', '+U', '-D', '-U'] : ['+I', '+U'],
    )
    if (kind === '-D') return { kind, row: [key, null, null, null, ...sequence.map(() => random.below(6))] }
    const payload = [random.below(9), random.below(9), `${random.below(9)}`].map((value) =>
      random.chance(35) ? null : value,
    )
    const isNull = random.chance(12)
    return { kind, row: [key, ...payload, ...sequence.map(() => (isNull ? null : random.below(6)))] }
  })
}

const typeOf: Readonly<Record<AggregateFunction, string>> = {
  sum: 'DECIMAL(12,2)',
  product: 'INT',
  max: 'STRING',
  min: 'BIGINT',
  last_value: 'INT',
  last_non_null_value: 'INT',
  first_value: 'INT',
  first_non_null_value: 'INT',
  listagg: 'STRING',
  bool_and: 'BOOLEAN',
  bool_or: 'BOOLEAN',
  collect: 'ARRAY<STRING>',
}

function randomValue(random: Random, type: string): unknown {
  if (random.chance(20)) return null
  switch (type) {
    case 'STRING':
      return random.pick(['a', 'b', 'c', 'B', 'ä'])
    case 'BIGINT':
      return random.pick(['1', '2', '9007199254740993', '9007199254740992', '-5'])
    case 'DECIMAL(12,2)':
      return random.pick(['1.00', '2.50', '-0.75', '10.10'])
    case 'BOOLEAN':
      return random.chance(50)
    case 'ARRAY<STRING>':
      return Array.from({ length: random.below(3) }, () => random.pick(['x', 'y', 'z']))
    default:
      return random.below(3) + 1
  }
}

function groups(random: Random, id: string): PaimonCase {
  // listagg by a sequence is refused by tidegate, and so is one that goes by no order at all in a group
  const removes = random.chance(30)
  const available = aggregateFunctions.filter(
    (name) => name !== 'listagg' && name !== 'product' && !(removes && name.startsWith('first')),
  )
  const all = ['g', 'h'].slice(0, random.below(2) + 1).map((prefix) => ({
    prefix,
    sequence: sequenceNames(random, `${prefix}s`),
    functions: random.chance(70) ? random.some(available) : [],
    owner: removes && random.chance(60),
  }))
  const functions = all.flatMap((group) => group.functions)
  const inOrder = removes || functions.some((name) => name.startsWith('first') || name === 'last_non_null_value')
  const retracts = random.chance(60)
  const columns: Record<string, string> = {}
  const options: Record<string, string> = { 'merge-engine': 'partial-update' }
  for (const { prefix, sequence, functions: own } of all) {
    const names = [`${prefix}_plain`, ...own.map((name) => `${prefix}_${name}`)]
    columns[`${prefix}_plain`] = 'INT'
    for (const name of own) {
      columns[`${prefix}_${name}`] = typeOf[name]
      options[`fields.${prefix}_${name}.aggregate-function`] = name
      if (!takesRetract.has(name)) options[`fields.${prefix}_${name}.ignore-retract`] = 'true'
    }
    for (const name of sequence) columns[name] = 'INT'
    options[`fields.${sequence.join(',')}.sequence-group`] = names.join(',')
    if (own.includes('collect') && random.chance(40)) options[`fields.${prefix}_collect.distinct`] = 'true'
  }
  columns['u'] = 'INT'
  const owners = all.filter(({ owner }) => owner)
  if (owners.length > 0) {
    options['partial-update.remove-record-on-sequence-group'] = owners.map(({ sequence }) => sequence[0]).join(',')
  }
  const table: Table = { ...plainTable, columns, options, commit: random.pick(['one', 'each']) }
  return build(id, table, (key) => {
    const newest = new Map<string, number>()
    const tuple = (names: readonly string[]): (number | null)[] => {
      if (random.chance(25)) return names.map(() => null)
      const [first = ''] = names
      const lowest = inOrder ? (newest.get(first) ?? 0) : 0
      const value = lowest + random.below(inOrder ? 2 : 6)
      newest.set(first, Math.max(value, newest.get(first) ?? 0))
      // in order, the second field must not fall behind: it stays the same
      return names.map((_, at) => (at === 0 ? value : inOrder ? 0 : sequenceValue(random)))
    }
    let starts = true
    return () => {
      const kind = random.pick<RowKind>(retracts && !starts ? ['+I', '+U', '+U', '-U', '-D'] : ['+I', '+U'])
      const sequences = new Map(all.map((group) => [group.prefix, tuple(group.sequence)]))
      const removal =
        kind === '-D' && owners.some(({ prefix }) => sequences.get(prefix)?.some((value) => value !== null))
      starts = removal
      const row: unknown[] = [key]
      for (const { prefix, functions: own } of all) {
        row.push(removal ? null : randomValue(random, 'INT'))
        for (const name of own) row.push(removal ? null : randomValue(random, typeOf[name]))
        const said = sequences.get(prefix) ?? []
        const isSaid = said.some((value) => value !== null)
        row.push(...(removal && !isSaid ? said.map((_, at) => (at === 0 ? (newest.get(`${prefix}s`) ?? 0) : 0)) : said))
      }
      row.push(removal ? null : randomValue(random, 'INT'))
      return { kind, row }
    }
  })
}

function aggregation(random: Random, id: string): PaimonCase {
  const sequence = random.chance(50) ? sequenceNames(random) : []
  const removes = random.chance(25)
  const available = aggregateFunctions.filter((name) => {
    if (sequence.length === 0) return !removes || takesRetract.has(name)
    // by arrival, not by sequence: so a sequence does not fit them
    return name !== 'listagg' && name !== 'product' && (!removes || takesRetract.has(name))
  })
  const functions = random.some(available)
  const retracts = random.chance(60)
  // out of order, a retract may find nothing to take out of a collection, and a late -D does not undo a sum
  const inOrder = sequence.length > 0 && (removes || (retracts && functions.includes('collect')))
  const columns: Record<string, string> = {}
  const options: Record<string, string> = { 'merge-engine': 'aggregation' }
  for (const name of functions) {
    columns[`c_${name}`] = typeOf[name]
    options[`fields.c_${name}.aggregate-function`] = name
    if (!takesRetract.has(name)) options[`fields.c_${name}.ignore-retract`] = 'true'
  }
  if (functions.includes('collect') && random.chance(40)) options['fields.c_collect.distinct'] = 'true'
  if (functions.includes('listagg') && random.chance(40)) options['fields.c_listagg.distinct'] = 'true'
  for (const name of sequence) columns[name] = 'INT'
  if (sequence.length > 0) options['sequence.field'] = sequence.join(',')
  if (removes) options['aggregation.remove-record-on-delete'] = 'true'
  const table: Table = {
    columns,
    options,
    sinkOptions: sequence.length > 0 && removes ? { 'sink.delete.mode': 'tombstone' } : {},
    commit: random.pick(['one', 'each']),
    // Paimon keeps the sequence by last_value, which a retract sets to null
    notAfterRetract: sequence,
    showsRetracted: true,
  }
  return build(id, table, (key) => {
    let newest = 0
    let removed = false
    return () => {
      const kind = random.pick<RowKind>(
        (retracts || removes) && !removed ? ['+I', '+U', '+U', '-U', '-D'] : ['+I', '+U'],
      )
      removed = kind === '-D' && removes
      if (inOrder) newest += random.below(2)
      // a null at the lowest sequence of all is not remembered as the first value
      const tuple = sequence.map((_, at) => (inOrder ? (at === 0 ? newest : 0) : random.below(6)))
      const payload = functions.map((name) => (kind === '-D' && removes ? null : randomValue(random, typeOf[name])))
      return { kind, row: [key, ...payload, ...tuple] }
    }
  })
}

const families: readonly Family[] = [
  deduplicate,
  deduplicateBySequence,
  firstRow,
  partialUpdate,
  groups,
  groups,
  aggregation,
  aggregation,
]
