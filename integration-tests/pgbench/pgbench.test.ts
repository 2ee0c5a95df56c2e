import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type PostgresDatabase } from '../services/postgres-database.ts'
import { describeStore } from '../stores.ts'
import { initPgbench, onDatabase, pgbenchTableNames, runPgbench, tableText } from './pgbench.ts'
import { PgbenchReplica } from './pgbench-replica.ts'

const publication = 'pgbench'
const load = { seconds: 20, clients: 4, rate: 120 }

describeStore('postgres-machine', 'pgbench by logical decoding into a second database', ({ postgres: access }) => {
  if (access === undefined) return
  let source: PostgresDatabase
  let aligned: PgbenchReplica
  let unaligned: PgbenchReplica
  let transactionCount = 0

  beforeAll(async () => {
    source = await createDatabase(access)
    await initPgbench(source.url)
    await onDatabase(source.url, (client) =>
      client.query(`create publication ${publication} for table ${pgbenchTableNames.join(', ')}`),
    )
    aligned = await PgbenchReplica.create({
      ...{ source, publication, access },
      options: {
        'sink.buffer-flush.max-rows': '97',
        'sink.flush.align': 'group',
        'sink.delivery-guarantee': 'exactly-once',
        'sink.id': 'pgbench',
      },
    })
    unaligned = await PgbenchReplica.create({
      ...{ source, publication, access },
      // seven rows end in the middle of a transaction of four
      options: { 'sink.buffer-flush.max-rows': '7', 'sink.accept-duplicates': 'true' },
    })
    await aligned.start({ acknowledge: false })
    await unaligned.start({ acknowledge: true })

    const loading = runPgbench(source.url, load)
    await Promise.race([aligned.reached((load.seconds * load.rate) / 4), loading])
    await aligned.crash()
    await aligned.start({ acknowledge: true })
    transactionCount = await loading
    await aligned.finish(transactionCount)
    await unaligned.finish(transactionCount)
  }, 300_000)

  afterAll(async () => {
    await aligned?.drop()
    await unaligned?.drop()
    await source?.drop()
  })

  describe.each([
    ['with groups aligned, exactly once, and a crash on the way', () => aligned],
    ['without alignment', () => unaligned],
  ])('%s', (_title, replica) => {
    test.each(pgbenchTableNames)('%s is equal row for row', async (table) => {
      const there = await tableText(source.url, table)
      const here = await tableText(replica().url, table)
      expect(there.length).toBeGreaterThan(0)
      expect(here.length).toBe(there.length)
      // a difference of 100,000 rows would take minutes to print
      expect(here.filter((row, index) => row !== there[index]).slice(0, 5)).toEqual([])
    })

    test('R1 the slot was acknowledged up to the last commit, and no further', () => {
      expect(replica().confirmed).toBe(replica().lastCommit)
    })
  })

  test('a flush of whole transactions holds many of them', () => {
    expect(aligned.flushCount).toBeGreaterThan(10)
    expect(aligned.flushCount).toBeLessThan(transactionCount / 2)
  })

  test('B2 B4 with alignment no reader ever sees a transaction in halves', () => {
    expect(aligned.reader.torn).toEqual([])
    expect(aligned.reader.states.size).toBeGreaterThan(10)
  })

  test('without alignment a reader does', () => {
    expect(unaligned.reader.torn.length).toBeGreaterThan(0)
  })

  test('R5 whole transactions came again after the crash, and were not counted again', () => {
    expect(aligned.replayedRecords).toBeGreaterThan(0)
    expect(aligned.replayedRecords % 4).toBe(0)
  })
})
