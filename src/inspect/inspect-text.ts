import { alignedLines } from '../aligned-lines.ts'
import { counted } from '../counted.ts'
import { rowKinds } from '../row/row-kind.ts'
import { plainStyle, type TextStyle } from '../text-style.ts'
import { linesText } from './advice.ts'
import type { Cases, ColumnReport, InspectReport, KeyedReport, TableReport } from './inspect-report.ts'

/** A report for people. Ends with a line end. */
export function inspectText(report: InspectReport, style: TextStyle = plainStyle): string {
  const isSeveral = report.tables.length > 1
  const parts = [
    [style.heading(title(report)), ...alignedLines(facts(report)).map((line) => `  ${line}`)],
    ...report.tables.map((table) => tableLines(table, isSeveral, style)),
    adviceLines(report, style),
  ]
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function title({ name, format, lines, records }: InspectReport): string {
  const found = format.seen === null ? 'named' : `found by its members ${format.seen.join(', ')}`
  const formatName = format.name === null ? 'nothing to read' : `${format.name} (${found})`
  const blank = lines === records ? '' : `, ${records} of them with a record`
  return `${name} · ${formatName} · ${counted(lines, 'line')}${blank}`
}

function facts(report: InspectReport): string[][] {
  const { changes, images, deletes, updates, malformed, control, groups, partitions, numbersAbove2to53 } = report
  const controls = Object.entries({
    'group ends': control.groupEnds,
    watermarks: control.watermarks,
    truncates: control.truncates,
    'schema changes': control.schemaChanges,
  }).filter(([, count]) => count > 0)
  return [
    ['changes', `${changes.total}: ${rowKinds.map((kind) => `${kind} ${changes[kind]}`).join('  ')}`],
    ['updates', updatesText(updates)],
    ['deletes', `${deletes.full} with their row, ${deletes.keyOnly} with the key only${ofNothing(deletes.ofNothing)}`],
    ['images', `${images.full} full, ${images.partial} partial, ${images.key} key only`],
    ...(controls.length === 0 ? [] : [['control', controls.map(([name, count]) => `${name} ${count}`).join(', ')]]),
    ...(groups.changes === 0
      ? []
      : [['groups', `${counted(groups.changes, 'change')} in groups, ${counted(groups.open, 'group')} left open`]]),
    ...(partitions > 1 ? [['partitions', String(partitions)]] : []),
    ['large numbers', casesText(numbersAbove2to53, `beyond a double, in ${numbersAbove2to53.columns.join(', ')}`)],
    ...(report.largestRow === null
      ? []
      : [['largest row', `${counted(report.largestRow.bytes, 'byte')}, line ${report.largestRow.line}`]]),
    ...(report.otherTables.changes === 0
      ? []
      : [
          [
            'other tables',
            `${counted(report.otherTables.changes, 'change')} of ${report.otherTables.names.join(', ')}`,
          ],
        ]),
    ...(malformed.count === 0 ? [] : [['malformed', `${malformed.count}: ${malformed.firstReason ?? ''}`]]),
  ]
}

function updatesText({
  pairs,
  withoutBefore,
  keyChanges,
  encoding,
  deleteCreatePairs,
}: InspectReport['updates']): string {
  if (encoding === null) return 'none'
  if (encoding === 'delete-create') return `${deleteCreatePairs}, each written as delete and create`
  const moved = keyChanges === null ? '' : `, key changes ${casesText(keyChanges, '')}`
  return `${pairs} with both images, ${withoutBefore} without the image before${moved}`
}

function ofNothing(count: number): string {
  return count === 0 ? '' : `; ${count} of rows that are not there (tombstones are such)`
}

function casesText(cases: Cases, what: string): string {
  if (cases.count === 0) return 'none'
  const lines = linesText(cases)
  return `${cases.count}${what === '' ? '' : ` ${what}`}${lines === '' ? '' : ` (${lines})`}`
}

function tableLines(table: TableReport, isSeveral: boolean, style: TextStyle): string[] {
  const heading = `  ${style.heading(table.name ?? 'rows')}${isSeveral ? `, ${counted(table.changes, 'change')}` : ''}`
  return [heading, ...alignedLines([...keyedFacts(table), ...columnFacts(table)]).map((line) => `    ${line}`)]
}

function keyedFacts({ keyed, sequence, undeclared }: TableReport): string[][] {
  if (keyed === null) return [['key', undeclared === null ? 'not known' : 'none: the DDL declares no primary key']]
  return [
    [
      'key',
      `${keyed.key.join(', ')}${keySources[keyed.keySource]}: ${counted(keyed.keys, 'key')}, ${counted(keyed.rowsLeft, 'row')} left in the end`,
    ],
    ...(keyed.withoutKey.count === 0 ? [] : [['without key', casesText(keyed.withoutKey, '')]]),
    ['retractions', retractionsText(keyed)],
    ['lone -U', casesText(keyed.loneUpdateBefores, '')],
    ['repeated', casesText(keyed.redelivered, '')],
    ...(keyed.keysInSeveralPartitions === 0
      ? []
      : [['partitions', `${keyed.keysInSeveralPartitions} keys have changes in several`]]),
    ...(sequence === null
      ? []
      : [
          [
            'sequence',
            `${sequence.columns.join(', ')}: older than before ${casesText(sequence.older, '')}, ties ${sequence.ties}, missing ${sequence.missing}`,
          ],
        ]),
  ]
}

const keySources = { option: '', ddl: ' (by the DDL)', input: ' (by the records)' } as const

function retractionsText({ matched, unmatched, unseen }: KeyedReport): string {
  if (matched + unmatched.count + unseen === 0) return 'none with a row'
  return [
    ...(matched > 0 ? [`${matched} with the current row of the key`] : []),
    ...(unmatched.count > 0 ? [`${casesText(unmatched, 'with another')}`] : []),
    ...(unseen > 0 ? [`${unseen} of keys not seen before`] : []),
  ].join(', ')
}

function columnFacts({ changes, columns, undeclared }: TableReport): string[][] {
  const extra = Object.entries(undeclared ?? {})
  return [
    ['columns', columns.map((column) => columnText(column, changes)).join(', ')],
    ...(extra.length === 0 ? [] : [['undeclared', extra.map(([name, count]) => `${name} (${count})`).join(', ')]]),
  ]
}

function columnText({ name, present, nulls }: ColumnReport, changes: number): string {
  const remarks = [
    ...(present < changes ? [`absent ${changes - present}`] : []),
    ...(nulls > 0 ? [`null ${nulls}`] : []),
  ]
  return remarks.length === 0 ? name : `${name} (${remarks.join(', ')})`
}

function adviceLines({ advice }: InspectReport, style: TextStyle): string[] {
  if (advice.length === 0) return []
  return [`  ${style.heading('advice')}`, ...advice.map((line) => `    ${style.warning('→')} ${line}`)]
}
