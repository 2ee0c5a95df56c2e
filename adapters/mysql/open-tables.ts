import { must } from '../../src/assert.ts'
import type { CheckFinding, OpenContext } from '../../src/connector/connector.ts'
import { rankByReferences } from '../../src/connector/rank-by-references.ts'
import { problemsError, TidegateError } from '../../src/errors.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { type CatalogTable, readCatalog } from './catalog.ts'
import { columnNamed, compareTarget, hasOtherUnique } from './check.ts'
import { MysqlFailure, toFailure } from './failures.ts'
import type { WritableTable } from './flush-steps.ts'
import { quoteQualified } from './identifier.ts'
import { ledgerName, type MysqlOptions } from './options.ts'
import type { Dialect, Session } from './session.ts'
import { createTable } from './statements/create-table.ts'
import { createLedger } from './statements/ledger.ts'
import { quotedName, tableName } from './statements/staged.ts'
import { plannedTarget, type Target, targetName } from './target.ts'
import { withinTextColumn } from './text-limit.ts'

/** The oldest servers with JSON_TABLE, by which values are sent. */
const oldest: Readonly<Record<Dialect['product'], string>> = { MySQL: '8.0.4', MariaDB: '10.6.0' }

/** Creates what is to be created and compares the rest with the plan. Throws `STORE_MISMATCH` with every difference. */
export async function openTables(session: Session, plans: readonly TablePlan[]): Promise<readonly WritableTable[]> {
  const { product, version } = session.dialect
  if (isOlder(version, oldest[product])) {
    throw new TidegateError(`the server is ${product} ${version}, and ${oldest[product]} or newer is needed`, {
      code: 'STORE_MISMATCH',
      connector: 'mysql',
      hint: 'values are sent by JSON_TABLE, which came with that version',
    })
  }
  for (const plan of plans) if (plan.createTable) await createMissing(session, plan)
  const catalogs: (CatalogTable | undefined)[] = []
  for (const plan of plans) catalogs.push(await readCatalog(session, targetName(plan)))
  const problems = plans.flatMap((plan, index) => compareTarget(plan, catalogs[index]).filter(isError))
  if (problems.length > 0) {
    throw problemsError(`the target in ${product} does not fit the plan:`, problems, {
      code: 'STORE_MISMATCH',
      connector: 'mysql',
    })
  }
  const found = catalogs.map((catalog) => must(catalog, 'a table that is missing is a problem'))
  const ranks = rankByReferences(found)
  return plans.map((plan, index) => {
    const catalog = must(found[index], 'a catalog entry a table')
    return {
      plan,
      target: foundTarget(plan, catalog),
      rank: must(ranks.get(catalog.id), 'a rank a table'),
      isReferenced: found.some(({ references }) => references.includes(catalog.id)),
      hasOtherUnique: hasOtherUnique(catalog),
    }
  })
}

/** The planned target within the bounds of the columns that are there. */
function foundTarget(plan: TablePlan, catalog: CatalogTable): Target {
  const { name, columns } = plannedTarget(plan)
  return {
    name,
    columns: columns.map((column, at) => {
      const found = must(columnNamed(catalog, column.name), 'a column that is missing is a problem')
      const { type } = must(plan.merge.columns[at], 'a stored column')
      return { ...column, codec: withinTextColumn(column.codec, type, found) }
    }),
  }
}

/** Every difference of the targets to the plans, the rights that are missing, and under exactly-once the ledger. */
export async function checkTables(session: Session, { plan, tables }: OpenContext): Promise<readonly CheckFinding[]> {
  const findings: CheckFinding[] = []
  for (const table of tables) {
    const catalog = await readCatalog(session, targetName(table))
    if (catalog === undefined && table.createTable) {
      const message = 'does not exist, and is made when a sink opens'
      findings.push({ severity: 'ok', subject: quoteQualified(targetName(table)), message })
    } else findings.push(...compareTarget(table, catalog))
    if (catalog !== undefined) findings.push(...(await rightsFindings(session, table)))
  }
  const [first] = tables
  if (plan.delivery.guarantee !== 'exactly-once' || first === undefined) return findings
  const name = ledgerName(first.connectorOptions as MysqlOptions)
  const subject = quoteQualified(name)
  if ((await readCatalog(session, name)) !== undefined)
    return [...findings, { severity: 'ok', subject, message: 'is there' }]
  const message = 'does not exist, and is made when the sink opens, if the user may'
  return [...findings, { severity: 'warning', subject, message, fix: `${createLedger(name)};` }]
}

/** EXPLAIN asks for the rights of the statement that it explains, and does nothing. */
async function rightsFindings(session: Session, plan: TablePlan): Promise<readonly CheckFinding[]> {
  const target = plannedTarget(plan)
  const table = tableName(target)
  const column = quotedName(target, 0)
  const probes = {
    INSERT: `EXPLAIN INSERT INTO ${table} (${column}) SELECT ${column} FROM ${table} WHERE FALSE`,
    UPDATE: `EXPLAIN UPDATE ${table} SET ${column} = ${column} WHERE FALSE`,
    DELETE: `EXPLAIN DELETE FROM ${table} WHERE FALSE`,
  }
  const findings: CheckFinding[] = []
  for (const [right, text] of Object.entries(probes)) {
    try {
      await session.run({ text })
    } catch (error) {
      if (toFailure(error).failure !== 'auth') continue
      findings.push({
        severity: 'error',
        subject: table,
        message: `the user may not ${right}`,
        fix: `GRANT ${right} ON ${table} TO …;`,
      })
    }
  }
  return findings
}

/** IF NOT EXISTS asks for the right to create even where nothing is to be created. */
async function createMissing(session: Session, plan: TablePlan): Promise<void> {
  if ((await readCatalog(session, targetName(plan))) !== undefined) return
  for (const text of createTable(plan)) {
    try {
      await session.control(text)
    } catch (error) {
      const { failure, message } = toFailure(error)
      throw new MysqlFailure(`'sink.create-table' = 'if-not-exists': ${message}`, failure, undefined, error)
    }
  }
}

function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const at = b.findIndex((part, index) => part !== (a[index] ?? 0))
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0)
}

function isError({ severity }: CheckFinding): boolean {
  return severity === 'error'
}
