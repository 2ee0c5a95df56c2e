import { toJsonText } from '../row/json-text.ts'
import type { TextStyle } from '../text-style.ts'
import type { ControlLine, TraceLine, TraceOutcome } from './trace-line.ts'

/** A line of a trace for people; several lines where there is more to say. */
export function traceText(line: TraceLine, style: TextStyle): string {
  const { outcome, columns, reason, row, kind, table, key } = line
  const head = [
    placeText(line).padEnd(11),
    (kind ?? '').padEnd(3),
    ...(table === undefined ? [] : [table]),
    key === null ? '' : keyText(key),
  ]
  const details = Object.entries(columns).map(([name, said]) => `${name} ${said}`)
  return [
    `${head.join(' ').trimEnd()}  ${outcomeStyle(outcome, style)(outcome)}: ${reason}`,
    ...(details.length === 0 ? [] : [`    ${style.dim('columns')}  ${details.join(' · ')}`]),
    ...(kind === null
      ? []
      : [`    ${style.dim('reader ')}  ${row === null ? 'sees no row' : `sees ${toJsonText(row)}`}`]),
  ].join('\n')
}

export function controlText({ record, control, ...details }: ControlLine, style: TextStyle): string {
  const place = record === null ? '' : `line ${record}`
  const said = Object.entries(details)
    .filter(([name]) => name !== 'changes')
    .map(([name, value]) => `${name} ${String(value)}`)
  return `${place.padEnd(11)} ${style.dim(`${control}${said.length === 0 ? '' : `, ${said.join(', ')}`}`)}`
}

function placeText({ record, change }: TraceLine): string {
  if (record === null) return ''
  return change === 0 ? `line ${record}` : `line ${record}.${change}`
}

function keyText(key: Readonly<Record<string, unknown>>): string {
  return Object.entries(key)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : shown(value)}`)
    .join(' ')
}

/** A key that was rejected may hold whatever came. */
function shown(value: unknown): string {
  try {
    return toJsonText(value)
  } catch {
    return String(value)
  }
}

function outcomeStyle(outcome: TraceOutcome, style: TextStyle): (text: string) => string {
  switch (outcome) {
    case 'applied':
      return style.good
    case 'rejected':
      return style.bad
    case 'stale':
    case 'held':
      return style.warning
    case 'ignored':
      return style.dim
  }
}
