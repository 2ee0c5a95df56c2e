import type { CheckFinding } from '../../src/connector/connector.ts'
import type { MergePlan } from '../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { formatDataType } from '../../src/row/data-type.ts'
import type { CatalogColumn, CatalogTable, Privilege } from './catalog.ts'
import { quoteQualified } from './identifier.ts'
import { columnDefinition, createTable } from './statements/create-table.ts'
import { collectFault, type Target, type TargetColumn, targetName } from './target.ts'
import { type Binding, bind } from './type-mapping.ts'

export interface Comparison {
  readonly findings: readonly CheckFinding[]
  /** Undefined if one of the findings is an error. */
  readonly target: Target | undefined
}

/** The plan against the table as the catalog has it: every difference at once. Pure. */
export function compareTarget(plan: TablePlan, catalog: CatalogTable | undefined): Comparison {
  const findings: CheckFinding[] = []
  if (catalog === undefined) {
    findings.push(missingTable(plan))
    return { findings, target: undefined }
  }
  const report = new Report(quoteQualified(catalog.name), findings)
  if (!checkKind(catalog, report)) return { findings, target: undefined }
  checkPrivileges(plan, catalog, report)
  checkKey(plan.merge, catalog, report)
  checkUnwrittenColumns(plan.merge, catalog, report)
  const columns = plan.merge.columns.map((_, position) => checkColumn(plan.merge, position, catalog, report))
  const isUsable = !findings.some(({ severity }) => severity === 'error')
  if (isUsable) findings.push({ severity: 'ok', subject: report.table, message: `fits table ${plan.name}` })
  return {
    findings,
    target: isUsable ? { name: catalog.name, columns: columns.filter((column) => column !== undefined) } : undefined,
  }
}

class Report {
  readonly table: string
  readonly #findings: CheckFinding[]

  constructor(table: string, findings: CheckFinding[]) {
    this.table = table
    this.#findings = findings
  }

  error(subject: string, message: string, fix?: string): void {
    this.#findings.push({ severity: 'error', subject: `${this.table} ${subject}`.trim(), message, fix })
  }

  warning(subject: string, message: string, fix?: string): void {
    this.#findings.push({ severity: 'warning', subject: `${this.table} ${subject}`.trim(), message, fix })
  }

  alter(action: string): string {
    return `ALTER TABLE ${this.table} ${action};`
  }
}

function missingTable(plan: TablePlan): CheckFinding {
  const subject = quoteQualified(targetName(plan))
  if (plan.createTable) return { severity: 'ok', subject, message: 'does not exist, and is made when a sink opens' }
  return {
    severity: 'error',
    subject,
    message: 'does not exist, or is in no schema of the search_path (names keep their case)',
    fix: `set 'sink.create-table' = 'if-not-exists', or create it:\n${createTable(plan).join(';\n')};`,
  }
}

/** False: nothing else of it is worth a word. */
function checkKind({ kind }: CatalogTable, report: Report): boolean {
  if (kind === 'r' || kind === 'p') return true
  const names: Readonly<Record<string, string>> = { v: 'a view', m: 'a materialized view', f: 'a foreign table' }
  report.error('', `is ${names[kind] ?? 'no table'}, which takes no upserts`, 'name the table itself')
  return false
}

function checkPrivileges(plan: TablePlan, { privileges }: CatalogTable, report: Report): void {
  const needed: Privilege[] = plan.merge.key.length === 0 ? ['insert'] : ['select', 'insert', 'update', 'delete']
  const missing = needed.filter((privilege) => !privileges[privilege]).map((privilege) => privilege.toUpperCase())
  if (missing.length === 0) return
  report.error('', `the role lacks ${missing.join(', ')}`, `GRANT ${missing.join(', ')} ON ${report.table} TO …;`)
}

/** ON CONFLICT needs a unique index on exactly the key; any other unique index can refuse rows. */
function checkKey(merge: MergePlan, { uniqueIndexes }: CatalogTable, report: Report): void {
  const key = merge.key.map((position) => merge.columns[position]?.name ?? '')
  const onKey = uniqueIndexes.filter(
    ({ columns }) => columns.length === key.length && key.every((name) => columns.includes(name)),
  )
  if (key.length > 0 && !onKey.some(({ arbiter }) => arbiter)) {
    const deferrable = onKey.some((index) => index.deferrable)
    report.error(
      `key (${key.join(', ')})`,
      deferrable
        ? 'its unique constraint is DEFERRABLE, which an upsert cannot go by'
        : 'has no unique index on exactly these columns, which an upsert needs',
      report.alter(`ADD PRIMARY KEY (${key.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ')})`),
    )
  }
  for (const index of uniqueIndexes) {
    if (onKey.includes(index) && key.length > 0) continue
    report.warning(
      `index ${index.name}`,
      'is unique beside the key: rows that meet in it are rejected, and two rows can only swap its values if it is a DEFERRABLE constraint',
    )
  }
}

function checkUnwrittenColumns(merge: MergePlan, { columns }: CatalogTable, report: Report): void {
  const written = new Set(merge.columns.map(({ name }) => name))
  for (const column of columns) {
    if (written.has(column.name) || !column.notNull || column.defaultSql !== undefined || column.isGenerated) continue
    report.error(
      `column ${column.name}`,
      'is NOT NULL without a default and is not declared, so no row can be inserted',
      `declare it, or ${report.alter(`ALTER COLUMN "${column.name.replaceAll('"', '""')}" DROP NOT NULL`)}`,
    )
  }
}

function checkColumn(
  merge: MergePlan,
  position: number,
  catalog: CatalogTable,
  report: Report,
): TargetColumn | undefined {
  const declared = merge.columns[position]
  if (declared === undefined) return undefined
  const { name, type, hidden } = declared
  const column = catalog.columns.find((one) => one.name === name)
  if (column === undefined) {
    const near = catalog.columns.find((one) => one.name.toLowerCase() === name.toLowerCase())
    const hint = near === undefined ? '' : `; there is ${near.name}, and names keep their case`
    report.error(
      `column ${name}`,
      hidden ? `is missing: tidegate keeps ${purposeOf(merge, position)} in it` : `is missing${hint}`,
      report.alter(`ADD COLUMN ${columnDefinition(merge, position)}`),
    )
    return undefined
  }
  const bound = bind(type, column.type)
  if ('fault' in bound) {
    report.error(`column ${name}`, `is declared ${formatDataType(type)}: ${bound.fault}`, bound.fix)
    return undefined
  }
  const fault = collectFault(merge, position, bound.binding)
  if (fault !== undefined) report.error(fault.subject, fault.message, fault.fix)
  checkUse(merge, position, column, bound.binding, report)
  return {
    name,
    binding: bound.binding,
    defaultSql: column.isGenerated ? undefined : column.defaultSql,
    identityAlways: column.identity === 'always',
    notNull: column.notNull,
  }
}

function purposeOf(merge: MergePlan, position: number): string {
  const rule = merge.rules[position]
  if (rule?.kind === 'own-sequence') return `the sequence of ${merge.columns[rule.of]?.name ?? 'a column'}`
  return position === merge.deletedFlag ? 'whether the row is deleted' : 'since when the row is deleted'
}

function checkUse(merge: MergePlan, position: number, column: CatalogColumn, binding: Binding, report: Report): void {
  const subject = `column ${column.name}`
  const isKey = merge.key.includes(position)
  if (column.isGenerated) {
    report.error(
      subject,
      'is GENERATED ALWAYS AS an expression and takes no value',
      'leave it out of the declared table',
    )
  }
  if (column.identity === 'always' && !isKey) {
    const fix = report.alter(`ALTER COLUMN "${column.name.replaceAll('"', '""')}" SET GENERATED BY DEFAULT`)
    report.error(subject, 'is GENERATED ALWAYS AS IDENTITY, which an update may not set', fix)
  }
  if (isKey && column.nondeterministic) {
    report.error(
      subject,
      'is a key with a nondeterministic collation: texts that differ can be one key',
      'use another collation',
    )
  }
  if (isKey && binding.comparedAs !== undefined) checkKeyType(merge, position, column, report)
  if (needsOrder(merge, position) && (binding.comparedAs !== undefined || binding.cast !== undefined)) {
    report.error(subject, `orders rows, and ${column.type.name} does not order them as the declared type does (G7)`)
  }
  if (
    merge.deletedFlag !== undefined &&
    column.notNull &&
    !isKey &&
    position !== merge.deletedFlag &&
    column.defaultSql === undefined
  ) {
    checkPayload(merge, position, column, report)
  }
}

/** Two spellings of one key would meet in one row without tidegate knowing. */
function checkKeyType(merge: MergePlan, position: number, column: CatalogColumn, report: Report): void {
  if (column.type.kind === 'enum') return
  const type = merge.columns[position]?.type
  const declared = type === undefined ? '' : formatDataType(type)
  report.error(
    `column ${column.name}`,
    `is a key of type ${column.type.name}, in which texts of a ${declared} that differ can be equal`,
    column.type.name === 'uuid' ? 'declare it as UUID' : 'use a text column for the key',
  )
}

/** Deleted rows hold nothing but key and sequence, and a soft-deleted one may never have held more. */
function checkPayload(merge: MergePlan, position: number, column: CatalogColumn, report: Report): void {
  const isSequence = merge.rules[position]?.kind === 'sequence'
  if (isSequence && merge.engine === 'deduplicate') return
  report.error(
    `column ${column.name}`,
    'is NOT NULL, and the row of a deleted key holds no value for it',
    report.alter(`ALTER COLUMN "${column.name.replaceAll('"', '""')}" DROP NOT NULL`),
  )
}

function needsOrder(merge: MergePlan, position: number): boolean {
  const rule = merge.rules[position]
  if (rule?.kind === 'sequence' || rule?.kind === 'own-sequence') return true
  return rule?.kind === 'aggregate' && (rule.function === 'max' || rule.function === 'min')
}
