import type { IToken } from 'chevrotain'
import { TidegateError } from '../errors.ts'
import { blankInside, blankValues, mayBeInValue } from './blank-values.ts'
import type { DdlFault } from './ddl-fault.ts'
import { DoubleQuoted, isEnd, StringLiteral, tokenize, unclosedFault, Whole, Word } from './tokens.ts'

/**
 * The fault as a user sees it: `line:column`, the line, a caret under the fault, a hint. What may be an option's value is
 * not shown (rule C2).
 */
export function syntaxError(sql: string, { token, message, fields }: DdlFault): TidegateError {
  const tokens = tokenize(sql)
  const hidden = !isEnd(token) && mayBeInValue(sql, tokens, token)
  const offset = isEnd(token) ? sql.trimEnd().length : token.startOffset
  const lineStart = sql.lastIndexOf('\n', offset - 1) + 1
  const lineNumber = sql.slice(0, lineStart).split('\n').length
  const line = {
    before: blankValues(sql, tokens).slice(Math.max(lineStart, offset - shownMax), offset),
    fault: faultText(token, hidden),
    after: textAfter(sql, offset + faultText(token, hidden).length, hidden),
  }
  const gutter = String(lineNumber)
  const lines = [
    `line ${lineNumber}:${offset - lineStart + 1}: ${message}${fields.addFound ? `, found ${found(token, hidden)}` : ''}`,
    `  ${gutter} | ${line.before}${line.fault}${line.after}`.trimEnd(),
    `  ${' '.repeat(gutter.length)} | ${line.before.replace(/[^\t]/g, ' ')}${'^'.repeat(line.fault.length || 1)}`,
  ]
  if (fields.hint !== undefined) lines.push(`  ${fields.hint}`)
  return new TidegateError(lines.join('\n'), { code: fields.code ?? 'DDL_SYNTAX' })
}

/** Longest part of a line that is shown on either side of the fault. */
const shownMax = 60

/** Of a token that goes on in a later line, or never ends, only the beginning. */
function faultText(token: IToken, hidden: boolean): string {
  if (isEnd(token)) return ''
  if (unclosedFault(token) !== undefined) return token.image.slice(0, 1)
  const text = hidden && isValueLike(token) ? blankInside(token) : token.image
  return text.split(/[\r\n]/, 1).join('')
}

/** The rest of the line up to the first quote: behind a fault quotes may be out of step, so that values look like names. */
function textAfter(sql: string, from: number, hidden: boolean): string {
  const rest = sql
    .slice(from)
    .split(/[\r\n]/, 1)
    .join('')
    .trimEnd()
  if (hidden) return rest === '' ? '' : '…'
  const shown = rest.slice(0, shownMax).split(/['"`]/, 1).join('')
  return shown.length < rest.length ? `${shown}…` : shown
}

function found(token: IToken, hidden: boolean): string {
  if (isEnd(token)) return 'the end of the text'
  if (token.tokenType === StringLiteral) return 'text in single quotes'
  if (token.tokenType === DoubleQuoted) return 'text in double quotes'
  if (hidden && isValueLike(token)) return 'something else'
  return `"${token.image.length > 30 ? `${token.image.slice(0, 30)}…` : token.image}"`
}

/** Keywords and marks give nothing away. */
function isValueLike({ tokenType }: IToken): boolean {
  return tokenType === Word || tokenType === Whole || tokenType === StringLiteral || tokenType === DoubleQuoted
}
