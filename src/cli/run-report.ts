import type { Account } from '../buffer/account.ts'
import type { Positions } from '../changelog/position.ts'
import { counted, countText } from '../counted.ts'
import type { TextStyle } from '../text-style.ts'
import type { StopSignalName } from './command-context.ts'
import { elapsedText } from './size-text.ts'

/** How a run ended, as `tidegate run --json` prints it. */
export interface RunReport {
  readonly input: string
  readonly server: string
  readonly elapsedMs: number
  /** The signal that ended the run before its input did. */
  readonly stoppedBy: StopSignalName | null
  /** Lines with a record, those that could not be read, and changes that an earlier run had written. */
  readonly records: number
  readonly malformed: number
  readonly writtenBefore: number
  readonly account: Account
  readonly flushes: number
  readonly retries: number
  /** Groups whose end did not come; they stay unwritten. */
  readonly pendingGroups: number
  /** Changes of tables that are not declared. */
  readonly otherTables: number
  /** By table: columns that are not declared, with how often they came. */
  readonly undeclaredColumns: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** By partition: the last line that is durable. */
  readonly durable: Readonly<Record<string, unknown>>
}

export function durableOf(positions: Positions): Readonly<Record<string, unknown>> {
  return Object.fromEntries(positions)
}

/** The closing account (rule R4), for people. */
export function runReportText(report: RunReport, style: TextStyle): string {
  const { account } = report
  const rate = (report.records * 1000) / Math.max(1, report.elapsedMs)
  const parts = ['written', 'folded', 'stale', 'ignored', 'rejected', 'held'] as const
  const sum = parts
    .filter((part) => part !== 'held' || account.held > 0)
    .map((part) => `${part} ${countText(account[part])}`)
  return [
    style.heading(`${report.input} → ${report.server}`),
    `  ${counted(report.records, 'record')} in ${elapsedText(report.elapsedMs)} (${countText(rate)}/s), ${counted(report.flushes, 'flush', 'flushes')}${retriesText(report.retries)}`,
    `  accepted ${countText(account.accepted)} = ${sum.join(' + ')}`,
    ...remarks(report).map((line) => `  ${style.warning('!')} ${line}`),
  ].join('\n')
}

function retriesText(retries: number): string {
  return retries === 0 ? '' : `, ${counted(retries, 'retry', 'retries')}`
}

function remarks(report: RunReport): string[] {
  const { malformed, writtenBefore, otherTables, pendingGroups, undeclaredColumns, stoppedBy, account } = report
  const undeclared = Object.entries(undeclaredColumns).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, count]) => `${table}.${name} (${countText(count)})`),
  )
  return [
    ...(stoppedBy === null ? [] : [`stopped by ${stoppedBy} before the end of the input`]),
    ...(writtenBefore > 0 ? [`written by an earlier run: ${counted(writtenBefore, 'change')}`] : []),
    ...(malformed > 0 ? [`could not be read: ${counted(malformed, 'line')}`] : []),
    ...(account.rejected > 0 ? [`rejected: ${counted(account.rejected, 'change')}`] : []),
    ...(otherTables > 0 ? [`of tables that are not declared: ${counted(otherTables, 'change')}`] : []),
    ...(undeclared.length > 0 ? [`columns that are not declared, and not written: ${undeclared.join(', ')}`] : []),
    ...(pendingGroups > 0 ? [`without an end in the input, so not written: ${counted(pendingGroups, 'group')}`] : []),
  ]
}
