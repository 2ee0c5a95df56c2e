import { alignedLines } from '../aligned-lines.ts'
import { durationText, memorySizeText } from '../options/quantity-text.ts'
import { plainStyle, type TextStyle } from '../text-style.ts'
import type { ColumnExplanation, Explanation, TableExplanation } from './explain.ts'

/** An explanation for people: one block a table, then what the tables share. Ends with a line end. */
export function explainText(explanation: Explanation, style: TextStyle = plainStyle): string {
  const { connector, tables, refused } = explanation
  const blocks = tables.map((table) => tableText(connector, table, style))
  if (refused !== null) blocks.push(refusalText(refused, style))
  else blocks.push(domainText(explanation, style))
  return `${blocks.join('\n\n')}\n`
}

function tableText(connector: string, table: TableExplanation, style: TextStyle): string {
  const title = `${table.name} → ${connector} ${table.target}`
  const sections = [
    facts(table),
    section('changelog mode by step', stepLines(table), style),
    section('columns', columnLines(connector, table), style),
    section('statements', statementLines(table, style), style),
    section('readers', marked(table.readers, '›'), style),
    section('promises', marked(table.promises, style.good('✓')), style),
    section('warnings', marked(table.warnings, style.warning('!')), style),
    section('advice', marked(table.advice, '→'), style),
    section('notes', marked(table.notes, '·'), style),
    section('options', optionLines(table, true, style), style),
    section('defaults', optionLines(table, false, style), style),
  ]
  return [style.heading(title), ...sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))].join(
    '\n\n',
  )
}

function facts({ input, primaryKey, mergeEngine, batchShape, deleteMode }: TableExplanation): string[] {
  const key = primaryKey.length === 0 ? 'none: rows are only appended' : primaryKey.join(', ')
  return alignedLines([
    ['  input', `${input.format ?? 'format found out from the first records'}, mode ${input.mode}`],
    ['  table', input.table === '*' ? 'every one of the stream' : `${input.table} of the stream`],
    ['  unique by', upsertKeyText(input.upsertKey, key)],
    ['  key', key],
    ['  merge', mergeText({ primaryKey, mergeEngine, batchShape, deleteMode })],
  ])
}

function mergeText({
  primaryKey,
  mergeEngine,
  batchShape,
  deleteMode,
}: Pick<TableExplanation, 'primaryKey' | 'mergeEngine' | 'batchShape' | 'deleteMode'>): string {
  if (batchShape === 'log') return 'append, every change a row (log)'
  if (batchShape === 'retract-pairs') return 'rows cancel each other (retract-pairs)'
  return `${mergeEngine}${primaryKey.length === 0 ? '' : `, ${deleteMode} deletes`}`
}

function upsertKeyText(upsertKey: TableExplanation['input']['upsertKey'], key: string): string {
  if (upsertKey === null) return key.startsWith('none') ? 'not said' : `${key} (assumed: the primary key)`
  return upsertKey === 'none' ? 'nothing: rows are matched whole' : upsertKey.join(', ')
}

function stepLines({ steps }: TableExplanation): string[] {
  return alignedLines([
    ['step', 'in', 'out', 'runs in', ''],
    ...steps.map(({ name, in: kinds, out, runs, detail }) => [name, kinds, out, runs, detail]),
  ])
}

function columnLines(connector: string, { columns }: TableExplanation): string[] {
  return alignedLines([
    ['column', 'type', connector, 'merges by', 'runs in'],
    ...columns.map((column) => [
      column.name,
      `${column.type}${column.nullable ? '' : ' NOT NULL'}`,
      column.storeType ?? 'no exact type',
      `${column.rule}${hiddenText(column)}`,
      column.runs,
    ]),
  ])
}

function hiddenText({ hidden }: ColumnExplanation): string {
  return hidden ? ' (kept by tidegate)' : ''
}

function statementLines({ statements }: TableExplanation, style: TextStyle): string[] {
  return statements.flatMap(({ purpose, text }) => [
    style.dim(`-- ${purpose}`),
    ...text.split('\n').map((line) => `  ${line}`),
  ])
}

function optionLines({ options }: TableExplanation, given: boolean, style: TextStyle): string[] {
  const chosen = options.filter((option) => option.given === given)
  const lines = alignedLines(chosen.map(({ name, value }) => [name, value]))
  return given ? lines : lines.map(style.dim)
}

function domainText({ flush, delivery, tables }: Explanation, style: TextStyle): string {
  const shared = tables.length > 1 ? ' (one transaction and one buffer for all tables)' : ''
  const lines = alignedLines([
    ['flush', flushText(flush)],
    ['buffer', `${memorySizeText(flush.bufferMaxBytes)}, then write() waits`],
    ['groups', flush.align === 'group' ? 'never cut by a flush' : 'may be cut by a flush'],
    ['lanes', String(flush.lanes)],
    ['delivery', deliveryText(delivery)],
    ['retries', `${delivery.maxRetries}, after ${durationText(delivery.retryIntervalMs)} and more`],
    ['bad rows', badRowText(delivery)],
  ])
  return [style.heading(`flush and delivery${shared}`), ...lines.map((line) => `  ${line}`)].join('\n')
}

function flushText({ maxRows, maxBytes, intervalMs }: Explanation['flush']): string {
  const triggers = [
    ...(maxRows > 0 ? [`${maxRows} rows`] : []),
    ...(maxBytes > 0 ? [memorySizeText(maxBytes)] : []),
    ...(intervalMs > 0 ? [durationText(intervalMs)] : []),
  ]
  return triggers.length === 0 ? 'only when asked for, and at the end' : `at ${triggers.join(' or ')}`
}

function deliveryText({ guarantee, sinkId }: Explanation['delivery']): string {
  return sinkId === undefined ? guarantee : `${guarantee}, sink.id ${sinkId}`
}

function badRowText({ failureHandler, failureScope, deadLetterPath }: Explanation['delivery']): string {
  const path = deadLetterPath === undefined ? '' : ` ${deadLetterPath}`
  return `${failureHandler}${failureHandler === 'dead-letter' ? path : ''}${failureScope === 'group' ? ', with their group' : ''}`
}

function refusalText({ code, problems }: NonNullable<Explanation['refused']>, style: TextStyle): string {
  const lines = problems.flatMap(({ subject, message, fix }) => [
    `  ${style.bad('✗')} ${subject}: ${message}`,
    ...(fix === undefined ? [] : [`      ${fix}`]),
  ])
  return [style.bad(`refused: ${code}`), ...lines].join('\n')
}

function section(title: string, lines: readonly string[], style: TextStyle): string[] {
  if (lines.length === 0) return []
  return [`  ${style.heading(title)}`, ...lines.map((line) => `    ${line}`)]
}

function marked(lines: readonly string[], mark: string): string[] {
  return lines.map((line) => `${mark} ${line}`)
}
