import type { CheckFinding } from '../../src/connector/connector.ts'
import type { MergePlan } from '../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'
import type { CatalogColumn, CatalogTable } from './catalog.ts'
import { quoteIdentifier, quoteQualified } from './identifier.ts'
import { columnDefinition, createTable } from './statements/create-table.ts'
import { targetName } from './target.ts'

/** Every difference of a target to its plan, at once. `catalog` undefined: the table is not there. */
export function compareTarget(plan: TablePlan, catalog: CatalogTable | undefined): readonly CheckFinding[] {
  const table = quoteQualified(targetName(plan))
  if (catalog === undefined) {
    const fix = createTable(plan)
      .map((statement) => `${statement};`)
      .join('\n')
    return [{ severity: 'error', subject: table, message: 'does not exist, or the user may not see it', fix }]
  }
  const findings: CheckFinding[] = []
  if (catalog.engine.toLowerCase() !== 'innodb') {
    findings.push({
      severity: 'error',
      subject: table,
      message: `is kept by ${catalog.engine}, which has no transactions`,
      fix: `ALTER TABLE ${table} ENGINE = InnoDB;`,
    })
  }
  findings.push(...plan.merge.columns.flatMap((_, at) => columnFindings(plan, at, catalog, table)))
  findings.push(...undeclaredFindings(plan, catalog, table))
  findings.push(...keyFindings(plan, catalog, table))
  if (findings.some(({ severity }) => severity === 'error')) return findings
  return [{ severity: 'ok', subject: table, message: 'fits the plan' }, ...findings]
}

/** A unique index beside the primary key. */
export function hasOtherUnique({ indexes }: CatalogTable): boolean {
  return indexes.some(({ name, isUnique }) => isUnique && name !== 'PRIMARY')
}

/** The server takes names that differ in case only for one. */
export function columnNamed(catalog: CatalogTable, name: string): CatalogColumn | undefined {
  return catalog.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())
}

function columnFindings({ merge }: TablePlan, at: number, catalog: CatalogTable, table: string): CheckFinding[] {
  const declared = merge.columns[at]
  if (declared === undefined) return []
  const subject = `column ${declared.name}`
  const column = columnNamed(catalog, declared.name)
  if (column === undefined) {
    const fix = `ALTER TABLE ${table} ADD COLUMN ${columnDefinition(merge, at)};`
    return [{ severity: 'error', subject, message: 'does not exist', fix }]
  }
  const change = `ALTER TABLE ${table} MODIFY COLUMN ${columnDefinition(merge, at)};`
  const findings: CheckFinding[] = []
  if (column.isGenerated) findings.push({ severity: 'error', subject, message: 'is generated and takes no value' })
  const fault = typeFault(declared.type, column) ?? keyFault(merge, at, column) ?? orderFault(merge, at, column)
  if (fault !== undefined) findings.push({ severity: 'error', subject, message: fault, fix: change })
  const isPayload = !merge.key.includes(at) && at !== merge.deletedFlag
  if (merge.deletedFlag !== undefined && isPayload && column.notNull) {
    const message = 'is NOT NULL, and the row of a deleted key holds no value for it'
    findings.push({ severity: 'error', subject, message, fix: change })
  }
  if (column.columnType.includes('unsigned')) {
    findings.push({ severity: 'warning', subject, message: 'is unsigned: rows with negative numbers are refused' })
  }
  return findings
}

/** What the table demands and the plan does not write. */
function undeclaredFindings({ merge }: TablePlan, catalog: CatalogTable, table: string): CheckFinding[] {
  const names = new Set(merge.columns.map(({ name }) => name.toLowerCase()))
  return catalog.columns
    .filter(
      ({ name, notNull, hasDefault, isGenerated }) =>
        notNull && !hasDefault && !isGenerated && !names.has(name.toLowerCase()),
    )
    .map(({ name, columnType }) => ({
      severity: 'error',
      subject: `column ${name}`,
      message: 'is NOT NULL without a default, and the table does not declare it',
      fix: `ALTER TABLE ${table} MODIFY COLUMN ${quoteIdentifier(name)} ${columnType} NULL;`,
    }))
}

function keyFindings({ merge }: TablePlan, catalog: CatalogTable, table: string): CheckFinding[] {
  const primary = catalog.indexes.find(({ name }) => name === 'PRIMARY')
  const names = merge.key.map((at) => merge.columns[at]?.name ?? '')
  const found = (primary?.columns ?? []).map((name) => name.toLowerCase())
  if (names.length === 0) {
    const isFed = found.every((name) =>
      catalog.columns.some((column) => column.name.toLowerCase() === name && column.hasDefault),
    )
    if (isFed) return []
    const message = `is (${found.join(', ')}), and the table declares none: equal rows would be refused`
    return [{ severity: 'warning', subject: 'primary key', message }]
  }
  const isSame = found.length === names.length && names.every((name) => found.includes(name.toLowerCase()))
  if (!isSame) {
    const list = names.map(quoteIdentifier).join(', ')
    return [
      {
        severity: 'error',
        subject: 'primary key',
        message: `is ${found.length === 0 ? 'missing' : `(${found.join(', ')})`}, and the table declares (${names.join(', ')})`,
        fix: `ALTER TABLE ${table} ${found.length === 0 ? '' : 'DROP PRIMARY KEY, '}ADD PRIMARY KEY (${list});`,
      },
    ]
  }
  if (!hasOtherUnique(catalog)) return []
  return [
    {
      severity: 'warning',
      subject: 'unique indexes',
      message:
        'there is another than the primary key: rows are locked and merged one flush at a time, since an upsert would take a row of another key for the same one',
    },
  ]
}

const integerBytes: Readonly<Record<string, number>> = {
  tinyint: 1,
  smallint: 2,
  mediumint: 3,
  int: 4,
  integer: 4,
  bigint: 8,
}
const texts = new Set(['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'enum'])
const blobs = new Set(['varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'])

/** Why the column can't hold the values of `type` exactly; undefined if it can. */
function typeFault(type: DataType, column: CatalogColumn): string | undefined {
  const { dataType, columnType } = column
  const other = `is ${columnType}, and is declared as ${formatDataType(type)}`
  switch (type.name) {
    case 'BOOLEAN':
      return dataType in integerBytes ? undefined : other
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT': {
      const needed = { TINYINT: 1, SMALLINT: 2, INT: 4, BIGINT: 8 }[type.name]
      if (dataType === 'decimal' && column.scale === 0 && (column.precision ?? 0) >= 19) return undefined
      return (integerBytes[dataType] ?? 0) >= needed ? undefined : other
    }
    case 'FLOAT':
      return dataType === 'double' || dataType === 'float' ? undefined : other
    case 'DOUBLE':
      return dataType === 'double' ? undefined : other
    case 'DECIMAL': {
      const { precision = 0, scale = 0 } = column
      const fits = dataType === 'decimal' && scale >= type.scale && precision - scale >= type.precision - type.scale
      return fits ? undefined : `${other}: digits would be rounded away`
    }
    case 'CHAR':
    case 'VARCHAR':
    case 'UUID':
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
    case 'JSON':
      return textFault(type, column) ?? undefined
    case 'BINARY':
    case 'VARBINARY':
      return blobs.has(dataType) ? undefined : other
    case 'DATE':
      return dataType === 'date' ? undefined : other
    case 'TIME':
      return dataType === 'time' ? digitsFault(type.precision, column) : other
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return dataType === 'datetime' || dataType === 'timestamp' ? digitsFault(type.precision, column) : other
  }
}

function textFault(type: DataType, { dataType, columnType, charset }: CatalogColumn): string | undefined {
  const isNested = type.name === 'JSON' || type.name === 'ARRAY' || type.name === 'MAP' || type.name === 'ROW'
  if (dataType === 'json') return isNested ? undefined : `is json, and is declared as ${formatDataType(type)}`
  if (!texts.has(dataType)) return `is ${columnType}, and is declared as ${formatDataType(type)}`
  return charset === 'utf8mb4' || type.name === 'UUID'
    ? undefined
    : `is kept in ${charset ?? 'no character set'}, which lacks characters of Unicode`
}

function digitsFault(declared: number, { columnType, secondDigits = 0 }: CatalogColumn): string | undefined {
  return secondDigits >= declared
    ? undefined
    : `is ${columnType}: of ${declared} digits of a second it would round ${declared - secondDigits} away`
}

/** Texts that differ and are equal to the store would meet in one row without tidegate knowing. */
function keyFault(merge: MergePlan, at: number, { collation, dataType }: CatalogColumn): string | undefined {
  if (!merge.key.includes(at)) return undefined
  const type = merge.columns[at]?.type.name
  if (type === 'FLOAT' && dataType === 'float') return 'is a float, which equals no literal'
  if (type !== 'CHAR' && type !== 'VARCHAR' && type !== 'UUID') return undefined
  if (collation === 'utf8mb4_bin' || (type === 'UUID' && collation !== undefined)) return undefined
  return `compares by ${collation ?? 'no collation'}, which tells other keys apart than tidegate does: utf8mb4_bin is wanted`
}

function orderFault(merge: MergePlan, at: number, { dataType }: CatalogColumn): string | undefined {
  const isSequence = merge.rules[at]?.kind === 'sequence'
  return isSequence && dataType === 'float' ? 'is a float: sequences that differ would become equal' : undefined
}
