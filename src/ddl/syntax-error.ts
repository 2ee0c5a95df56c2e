import type { IToken } from 'chevrotain'
import { TidegateError } from '../errors.ts'
import {
  Comma,
  DoubleQuoted,
  Equals,
  isEnd,
  LeftParen,
  RightParen,
  Semicolon,
  StringLiteral,
  tokenize,
} from './tokens.ts'

/** A fault at a token, before the text it stands in is known. Only thrown inside `src/ddl`. */
export class DdlFault extends Error {
  readonly token: IToken
  readonly hint: string | undefined
  /** `DDL_UNSUPPORTED`: it is valid Flink SQL, but not for here. */
  readonly code: 'DDL_SYNTAX' | 'DDL_UNSUPPORTED'

  constructor(
    token: IToken,
    message: string,
    hint?: string | undefined,
    code: 'DDL_SYNTAX' | 'DDL_UNSUPPORTED' = 'DDL_SYNTAX',
  ) {
    super(message)
    this.token = token
    this.hint = hint
    this.code = code
  }
}

/** Longest part of a line that is shown on either side of the fault. */
const shownMax = 60

/**
 * The fault as a user sees it: `line:column`, the line, a caret under the fault, a hint. Texts and option values in the
 * line are blanked out, since they may be secrets (rule C2).
 */
export function syntaxError(sql: string, fault: DdlFault): TidegateError {
  const offset = isEnd(fault.token) ? sql.trimEnd().length : fault.token.startOffset
  const lineStart = sql.lastIndexOf('\n', offset - 1) + 1
  const lineNumber = sql.slice(0, lineStart).split('\n').length
  const lineEnd = sql.indexOf('\n', offset) < 0 ? sql.length : sql.indexOf('\n', offset)
  const from = Math.max(lineStart, offset - shownMax)
  const to = Math.min(lineEnd, offset + shownMax)
  const shown = blankValues(sql).slice(from, to).replace(/\r$/, '')
  const width = isEnd(fault.token)
    ? 1
    : Math.max(1, Math.min(fault.token.image.split('\n')[0]?.length ?? 1, to - offset))
  const gutter = String(lineNumber)
  const lines = [
    `line ${lineNumber}:${offset - lineStart + 1}: ${fault.message}`,
    `  ${gutter} | ${shown}`,
    `  ${' '.repeat(gutter.length)} | ${shown.slice(0, offset - from).replace(/[^\t]/g, ' ')}${'^'.repeat(width)}`,
  ]
  if (fault.hint !== undefined) lines.push(`  ${fault.hint}`)
  return new TidegateError(lines.join('\n'), { code: fault.code })
}

/** How a message names the token. Never the content of a text, which may be a value or a secret. */
export function describeToken(token: IToken): string {
  if (isEnd(token)) return 'the end of the text'
  if (token.tokenType === StringLiteral) return 'text in single quotes'
  if (token.tokenType === DoubleQuoted) return 'text in double quotes'
  return `"${token.image.length > 30 ? `${token.image.slice(0, 30)}…` : token.image}"`
}

/** The same text with every literal that is not the name of an option, and all between `=` and the next `,` or `)`, as stars. */
function blankValues(sql: string): string {
  const tokens = tokenize(sql)
  let blanked = ''
  let end = 0
  let inValue = false
  for (const [index, token] of tokens.entries()) {
    if (token.tokenType === Equals) inValue = true
    else if ([Comma, RightParen, LeftParen, Semicolon].includes(token.tokenType)) inValue = false
    else if (inValue || isValueText(token, tokens[index + 1])) {
      blanked += sql.slice(end, token.startOffset) + blankInside(token.image)
      end = token.startOffset + token.image.length
    }
  }
  return blanked + sql.slice(end)
}

function isValueText(token: IToken, next: IToken | undefined): boolean {
  return token.image.startsWith("'") && next?.tokenType !== Equals
}

/** Quotes and line breaks stay, so that the shape of the line and the caret do. */
function blankInside(image: string): string {
  return image.replace(/[^'"\n\r]/g, '*')
}
