import type { IToken } from 'chevrotain'
import { Comma, Equals, LeftParen, RightParen, Semicolon, StringLiteral, unclosedFault } from './tokens.ts'

/**
 * The text with stars for what may be a value, hence a secret (rule C2): every literal that is not the name of an
 * option, all between `=` and the next `,` or `)`, and what is glued to the end of a literal.
 */
export function blankValues(sql: string, tokens: readonly IToken[]): string {
  let blanked = ''
  let end = 0
  let inValue = false
  for (const [index, token] of tokens.entries()) {
    if ([Comma, RightParen, LeftParen, Semicolon].includes(token.tokenType)) inValue = false
    else if (token.tokenType === Equals) inValue = true
    else {
      inValue ||= isGlued(tokens[index - 1], token)
      if (!inValue && !isValueText(token, tokens[index + 1])) continue
      blanked += sql.slice(end, token.startOffset) + blankInside(token)
      end = endOf(token)
    }
  }
  return blanked + sql.slice(end)
}

/** Quotes and line breaks stay, and the sign that opens a text, so that the shape of the line does. */
export function blankInside({ image }: IToken): string {
  const opening = /^(?:\/\*|[`'"])?/.exec(image)?.[0] ?? ''
  return opening + image.slice(opening.length).replace(/[^'"\n\r]/g, '*')
}

/**
 * True where a quote may be missing or too many before the token: then it, and what follows it, cannot be told from the
 * rest of a value.
 */
export function mayBeInValue(sql: string, tokens: readonly IToken[], token: IToken): boolean {
  const before = tokens.filter(({ startOffset }) => startOffset < token.startOffset)
  const last = before.at(-1)?.tokenType
  if (last === StringLiteral || last === Equals || token.tokenType === StringLiteral) return true
  if (/['"]/.test(`${sql[token.startOffset - 1]}${sql[endOf(token)]}`)) return true
  return before.some((earlier, index) => isGlued(before[index - 1], earlier) && /^\w/.test(earlier.image))
}

function isValueText(token: IToken, next: IToken | undefined): boolean {
  if (unclosedFault(token) !== undefined) return true
  return token.tokenType === StringLiteral && next?.tokenType !== Equals
}

/** A token that begins where a text ends is often the rest of it, after a quote that is too many or missing. */
function isGlued(previous: IToken | undefined, token: IToken): boolean {
  return previous?.tokenType === StringLiteral && endOf(previous) === token.startOffset
}

function endOf(token: IToken): number {
  return token.startOffset + token.image.length
}
