import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../src/assert.ts'
import type { CheckFinding } from '../../src/connector/connector.ts'
import { planTables } from '../../src/sink/create-sink.ts'
import { postgres } from './index.ts'

let pglite: PGlite

beforeAll(async () => {
  pglite = await PGlite.create()
}, 60_000)

afterAll(async () => {
  await pglite.close()
})

async function check(created: string, declared: string, options = ''): Promise<readonly CheckFinding[]> {
  await pglite.exec(`DROP TABLE IF EXISTS t; ${created}`)
  const [domain] = await planTables({
    tables: `CREATE TABLE t (${declared}) WITH ('connector' = 'postgres', 'source.changelog-mode' = 'upsert'${options})`,
  })
  const { plan } = must(domain, 'one domain')
  return await postgres.check({
    plan,
    tables: plan.tables,
    client: pglite,
    lanes: 1,
    inFlightPerLane: 1,
    signal: new AbortController().signal,
  })
}

const brief = (findings: readonly CheckFinding[]): string[] =>
  findings.map(({ severity, subject, message }) => `${severity} ${subject}: ${message}`)

const keyed = 'id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED'

test('a table that fits is said to fit', async () => {
  const findings = await check('CREATE TABLE t (id bigint PRIMARY KEY, v text)', keyed)
  expect(brief(findings)).toEqual(['ok "public"."t": fits table t'])
})

test('a table that is not there comes with the statement that makes it', async () => {
  const [finding] = await check('', keyed)
  expect(finding?.severity).toBe('error')
  expect(finding?.fix).toContain('CREATE TABLE IF NOT EXISTS "t"')
})

test('a table that a sink would make is no fault, and a folder that is not there stays so', async () => {
  const made = ", 'sink.create-table' = 'if-not-exists'"
  expect(brief(await check('', keyed, made))).toEqual(['ok "t": does not exist, and is made when a sink opens'])
  const folder = join(tmpdir(), `tidegate-check-${process.pid}`)
  const [domain] = await planTables({
    tables: `CREATE TABLE t (${keyed}) WITH ('connector' = 'postgres', 'url' = 'pglite:${folder}'${made})`,
  })
  const { plan } = must(domain, 'one domain')
  const context = { plan, tables: plan.tables, client: undefined, lanes: 1, inFlightPerLane: 1 }
  const findings = await postgres.check({ ...context, signal: new AbortController().signal })
  expect(findings.map(({ severity }) => severity)).toEqual(['ok'])
  expect(existsSync(folder)).toBe(false)
})

test('of a view nothing is said but that it is one', async () => {
  const view = 'CREATE VIEW t AS SELECT 1::bigint AS id, NULL::text AS v'
  expect(brief(await check(view, keyed))).toEqual(['error "public"."t": is a view, which takes no upserts'])
  await pglite.exec('DROP VIEW t')
})

test('a name that differs in case only is pointed out', async () => {
  const findings = await check('CREATE TABLE t (id bigint PRIMARY KEY, "V" text)', keyed)
  expect(brief(findings)).toEqual(['error "public"."t" column v: is missing; there is V, and names keep their case'])
})

test('the key needs a unique index of its own that an upsert can go by', async () => {
  const missing = 'error "public"."t" key (id): has no unique index on exactly these columns, which an upsert needs'
  expect(brief(await check('CREATE TABLE t (id bigint, v text)', keyed))).toEqual([missing])
  expect(brief(await check('CREATE TABLE t (id bigint, v text, UNIQUE (id, v))', keyed))[0]).toBe(missing)
  const partial = 'CREATE TABLE t (id bigint, v text); CREATE UNIQUE INDEX ON t (id) WHERE v IS NOT NULL'
  expect(brief(await check(partial, keyed))[0]).toBe(missing)
  const deferrable = await check('CREATE TABLE t (id bigint PRIMARY KEY DEFERRABLE, v text)', keyed)
  expect(brief(deferrable)[0]).toContain('its unique constraint is DEFERRABLE')
  expect(await check('CREATE TABLE t (id bigint UNIQUE, v text)', keyed)).toMatchObject([{ severity: 'ok' }])
})

test('another unique index is a warning, since rows can be rejected for it', async () => {
  const findings = await check('CREATE TABLE t (id bigint PRIMARY KEY, v text UNIQUE)', keyed)
  expect(findings.map(({ severity, subject }) => `${severity} ${subject}`)).toEqual([
    'warning "public"."t" index t_v_key',
    'ok "public"."t"',
  ])
})

test('a column that is not written must not be NOT NULL', async () => {
  const created =
    'CREATE TABLE t (id bigint PRIMARY KEY, v text, a int NOT NULL, b int NOT NULL DEFAULT 1, c int NOT NULL GENERATED ALWAYS AS IDENTITY)'
  const findings = await check(created, keyed)
  expect(brief(findings)).toEqual([
    'error "public"."t" column a: is NOT NULL without a default and is not declared, so no row can be inserted',
  ])
})

test('G2 hidden columns that are missing come with the ALTER that adds them; payload must take NULL', async () => {
  const findings = await check(
    'CREATE TABLE t (id bigint PRIMARY KEY, v text NOT NULL, s int NOT NULL)',
    'id BIGINT, v STRING, s INT, PRIMARY KEY (id) NOT ENFORCED',
    ", 'sequence.field' = 's', 'sink.tombstone.retention' = '1 d'",
  )
  expect(findings.map(({ fix }) => fix)).toEqual([
    'ALTER TABLE "public"."t" ALTER COLUMN "v" DROP NOT NULL;',
    'ALTER TABLE "public"."t" ADD COLUMN "__tidegate_deleted" boolean NOT NULL DEFAULT false;',
    'ALTER TABLE "public"."t" ADD COLUMN "__tidegate_deleted_at" timestamp(6) with time zone;',
  ])
})

test('G7 a key or a sequence of a type with another equality or order is refused', async () => {
  const created = 'CREATE TABLE t (id uuid PRIMARY KEY, v text, s inet)'
  const findings = await check(
    created,
    'id STRING, v STRING, s STRING, PRIMARY KEY (id) NOT ENFORCED',
    ", 'sequence.field' = 's', 'sink.delete.mode' = 'hard', 'sink.tombstone.retention' = '0'",
  )
  expect(brief(findings)).toEqual([
    'error "public"."t" column id: is a key of type uuid, in which texts of a STRING that differ can be equal',
    'error "public"."t" column s: orders rows, and inet does not order them as the declared type does (G7)',
  ])
})

test('a view takes no upserts', async () => {
  await pglite.exec('DROP TABLE IF EXISTS t; CREATE TABLE base (id bigint PRIMARY KEY, v text)')
  const findings = await check('CREATE VIEW t AS SELECT * FROM base', keyed)
  expect(brief(findings)[0]).toBe('error "public"."t": is a view, which takes no upserts')
  await pglite.exec('DROP VIEW t')
})

test('missing rights are named with the GRANT', async () => {
  await pglite.exec(
    'DROP TABLE IF EXISTS t; CREATE ROLE reader; CREATE TABLE t (id bigint PRIMARY KEY, v text); GRANT SELECT ON t TO reader; SET ROLE reader',
  )
  const [domain] = await planTables({
    tables: `CREATE TABLE t (${keyed}) WITH ('connector' = 'postgres', 'source.changelog-mode' = 'upsert')`,
  })
  const { plan } = must(domain, 'one domain')
  const context = {
    plan,
    tables: plan.tables,
    client: pglite,
    lanes: 1,
    inFlightPerLane: 1,
    signal: new AbortController().signal,
  }
  const findings = await postgres.check(context)
  await expect(postgres.open(context)).rejects.toMatchObject({ code: 'STORE_MISMATCH' })
  await pglite.exec('RESET ROLE')
  expect(findings).toMatchObject([
    {
      severity: 'error',
      message: 'the role lacks INSERT, UPDATE, DELETE',
      fix: 'GRANT INSERT, UPDATE, DELETE ON "public"."t" TO …;',
    },
  ])
})
