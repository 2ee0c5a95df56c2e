import { must } from '../../src/assert.ts'
import type { CheckFinding, OpenContext } from '../../src/connector/connector.ts'
import { rankByReferences } from '../../src/connector/rank-by-references.ts'
import { type Problem, problemsError, TidegateError } from '../../src/errors.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { readCatalog } from './catalog.ts'
import { compareTarget } from './check.ts'
import type { FlushTables } from './flush.ts'
import type { WritableTable } from './flush-steps.ts'
import { type QualifiedName, quoteQualified } from './identifier.ts'
import { ledgerName, type PostgresOptions } from './options.ts'
import type { Session } from './session.ts'
import { createTable } from './statements/create-table.ts'
import { createLedger } from './statements/ledger.ts'
import { tableStatements } from './statements/table-statements.ts'
import { targetName } from './target.ts'

/** Oldest server whose catalog and statements are as they are used here. */
const oldestVersion = 12

/** Creates what is to be created and compares the rest with the plan. Throws `STORE_MISMATCH` with every difference. */
export async function openTables(
  session: Session,
  plans: readonly TablePlan[],
  options: PostgresOptions,
): Promise<{ readonly tables: FlushTables; readonly server: string }> {
  const server = await askVersion(session)
  await createMissing(session, plans)
  const catalogs = await readCatalog(session, plans.map(targetName))
  const comparisons = plans.map((plan, index) => compareTarget({ ...plan, createTable: false }, catalogs[index]))
  const problems = comparisons.flatMap(({ findings }) => findings.filter(isError).map(problemOf))
  if (problems.length > 0) {
    throw problemsError('the target in PostgreSQL does not fit the plan:', problems, {
      code: 'STORE_MISMATCH',
      connector: 'postgres',
    })
  }
  const found = catalogs.map((catalog) => must(catalog, 'a table that is missing is a problem'))
  const ranks = rankByReferences(
    found.map(({ oid, references }) => ({ id: oid, references: references.map((one) => one.oid) })),
  )
  const tables = plans.map((plan, index): WritableTable => {
    const catalog = must(found[index], 'a catalog entry a table')
    const target = must(comparisons[index]?.target, 'a comparison without errors has a target')
    return {
      plan,
      target,
      statements: tableStatements(plan.merge, target),
      rank: must(ranks.get(catalog.oid), 'a rank a table'),
      isReferenced: found.some((other) => other.references.some(({ oid }) => oid === catalog.oid)),
      canTruncate: catalog.privileges.truncate,
      prepares: options['prepared-statements'],
    }
  })
  const defers = found.some(
    ({ defersUnique, references }) => defersUnique || references.some(({ deferrable }) => deferrable),
  )
  return { tables: { tables, defers }, server }
}

/** Every difference of the targets to the plans, and what fits; under exactly-once the ledger too. */
export async function checkTables(session: Session, { plan, tables }: OpenContext): Promise<readonly CheckFinding[]> {
  const catalogs = await readCatalog(session, tables.map(targetName))
  const findings = tables.flatMap((table, index) => compareTarget(table, catalogs[index]).findings)
  const [first] = tables
  if (plan.delivery.guarantee !== 'exactly-once' || first === undefined) return findings
  return [...findings, await checkLedger(session, ledgerName(first.connectorOptions as PostgresOptions))]
}

async function checkLedger(session: Session, name: QualifiedName): Promise<CheckFinding> {
  const subject = quoteQualified(name)
  const [catalog] = await readCatalog(session, [name])
  if (catalog === undefined) {
    const text = "SELECT has_schema_privilege(COALESCE($1, current_schema()), 'CREATE')"
    const [answer] = await session.run([{ text, values: [name.schema ?? null] }])
    if (answer?.rows[0]?.[0] === true) return { severity: 'ok', subject, message: 'will be made when the sink opens' }
    const message = 'does not exist, and the role may not create it'
    return { severity: 'error', subject, message, fix: `${createLedger(name)};` }
  }
  const missing = (['select', 'insert', 'update'] as const).filter((privilege) => !catalog.privileges[privilege])
  if (missing.length === 0) return { severity: 'ok', subject, message: 'can be written' }
  const rights = missing.join(', ').toUpperCase()
  return { severity: 'error', subject, message: `the role lacks ${rights}`, fix: `GRANT ${rights} ON ${subject} TO …;` }
}

async function askVersion(session: Session): Promise<string> {
  const [answer] = await session.run([
    { text: "SELECT current_setting('server_version'), current_setting('server_version_num'), version()" },
  ])
  const [version = '', number = '', full = ''] = (answer?.rows[0] ?? []) as readonly string[]
  if (Number(number) < oldestVersion * 10_000) {
    throw new TidegateError(`PostgreSQL ${version} is too old: version ${oldestVersion} or newer is needed`, {
      code: 'STORE_MISMATCH',
      connector: 'postgres',
    })
  }
  return `PostgreSQL ${version.split(' ')[0]}${full.includes('PGlite') ? ' (PGlite)' : ''}`
}

async function createMissing(session: Session, plans: readonly TablePlan[]): Promise<void> {
  const wanted = plans.filter(({ createTable }) => createTable)
  if (wanted.length === 0) return
  const missing = await missingOf(session, wanted)
  if (missing.length === 0) return
  try {
    await session.run(missing.flatMap(createTable).map((text) => ({ text })))
  } catch (error) {
    // two that create a table at once collide in the catalog, IF NOT EXISTS or not
    if ((await missingOf(session, wanted)).length > 0) throw error
  }
}

async function missingOf(session: Session, plans: readonly TablePlan[]): Promise<readonly TablePlan[]> {
  const catalogs = await readCatalog(session, plans.map(targetName))
  return plans.filter((_, index) => catalogs[index] === undefined)
}

/** Tables before those that point at them; in a circle, as they come. */
function isError({ severity }: CheckFinding): boolean {
  return severity === 'error'
}

function problemOf({ subject, message, fix }: CheckFinding): Problem {
  return { subject, message, fix }
}
