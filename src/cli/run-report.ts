import type { Account } from '../buffer/account.ts'
import type { Positions } from '../changelog/position.ts'
import type { TextStyle } from '../text-style.ts'
import type { StopSignalName } from './command-context.ts'
import { countText, elapsedText } from './count-text.ts'

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
    `  ${countText(report.records)} records in ${elapsedText(report.elapsedMs)} (${countText(rate)}/s), ${countText(report.flushes)} flushes${report.retries > 0 ? `, ${countText(report.retries)} retries` : ''}`,
    `  accepted ${countText(account.accepted)} = ${sum.join(' + ')}`,
    ...remarks(report).map((line) => `  ${style.warning('!')} ${line}`),
  ].join('\n')
}

function remarks(report: RunReport): string[] {
  const { malformed, writtenBefore, otherTables, pendingGroups, undeclaredColumns, stoppedBy, account } = report
  const undeclared = Object.entries(undeclaredColumns).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, count]) => `${table}.${name} (${countText(count)})`),
  )
  return [
    ...(stoppedBy === null ? [] : [`stopped by ${stoppedBy} before the end of the input`]),
    ...(writtenBefore > 0 ? [`${countText(writtenBefore)} changes were written by an earlier run`] : []),
    ...(malformed > 0 ? [`${countText(malformed)} lines could not be read`] : []),
    ...(account.rejected > 0 ? [`${countText(account.rejected)} changes were rejected`] : []),
    ...(otherTables > 0 ? [`${countText(otherTables)} changes were of tables that are not declared`] : []),
    ...(undeclared.length > 0 ? [`columns that are not declared were not written: ${undeclared.join(', ')}`] : []),
    ...(pendingGroups > 0
      ? [`${countText(pendingGroups)} groups have no end in the input; nothing of them was written`]
      : []),
  ]
}
