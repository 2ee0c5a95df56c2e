import pg from 'pg'
import { expect, test } from 'vitest'
import { describeEachPostgres } from '../stores.ts'
import { createDatabase } from './postgres-database.ts'

describeEachPostgres('a database of a test file', (server) => {
  test('belongs to a role that can decode its changes, and goes with its slots', async () => {
    const database = await createDatabase(server)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('create table t (id int primary key)')
    await client.query(`select pg_create_logical_replication_slot('changes_of_t', 'test_decoding')`)
    await client.query('insert into t values (1)')
    const { rows } = await client.query<{ data: string }>(
      `select data from pg_logical_slot_get_changes('changes_of_t', null, null)`,
    )
    expect(rows.map(({ data }) => data)).toContain('table public.t: INSERT: id[integer]:1')
    await client.end()
    await database.drop()

    const admin = new pg.Client({ connectionString: server.adminUrl })
    await admin.connect()
    const left = await admin.query(
      'select (select count(*)::int from pg_database where datname = $1) as databases, (select count(*)::int from pg_replication_slots where database = $1) as slots',
      [database.name],
    )
    await admin.end()
    expect(left.rows).toEqual([{ databases: 0, slots: 0 }])
  })
})
