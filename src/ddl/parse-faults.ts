import { EOF, type IParserErrorMessageProvider, type IToken, type TokenType } from 'chevrotain'
import { didYouMean } from '../did-you-mean.ts'
import { DdlFault } from './ddl-fault.ts'
import {
  Comma,
  Deduplicate,
  Do,
  Equals,
  keywordNames,
  Name,
  RightParen,
  StringLiteral,
  unclosedFault,
  Word,
} from './tokens.ts'

/** Words of other systems' DDL, with what to do about them. */
const foreignWords: Readonly<Record<string, string>> = {
  DEFAULT: "Flink's CREATE TABLE has no DEFAULT: leave it out, the store keeps its own",
  REFERENCES: "Flink's CREATE TABLE has no foreign keys: leave it out, the store keeps its own",
  FOREIGN: "Flink's CREATE TABLE has no foreign keys: leave it out, the store keeps its own",
  CHECK: "Flink's CREATE TABLE has no CHECK: leave it out, the store keeps its own",
  GENERATED: 'leave out a generated column: the store fills it',
  AUTO_INCREMENT: 'leave out AUTO_INCREMENT: the store keeps its own',
  TBLPROPERTIES: 'TBLPROPERTIES is Spark SQL: write WITH',
  USING: "USING is Spark SQL: write WITH ('connector' = '…')",
  ENGINE: "Flink's CREATE TABLE has no ENGINE: write WITH ('connector' = '…')",
  INDEX: "Flink's CREATE TABLE has no indexes: leave it out, the store keeps its own",
}

/**
 * How the grammar complains: chevrotain asks for a message, and gets a `DdlFault` thrown instead, which ends the parse
 * with the token and the hint still at hand.
 */
export const parseFaults: IParserErrorMessageProvider = {
  buildMismatchTokenMessage({ expected, actual, previous }) {
    throw expectationFault(expected === RightParen ? [Comma, RightParen] : [expected], actual, previous)
  },
  buildNoViableAltMessage({ expectedPathsPerAlt, actual, previous, customUserDescription }) {
    const { expected, depth } = expectedAfter(expectedPathsPerAlt.flat(), actual)
    const wanted = depth === 0 ? (customUserDescription ?? expected) : expected
    throw expectationFault(wanted, actual[depth] as IToken, depth === 0 ? previous : actual[depth - 1])
  },
  buildEarlyExitMessage({ expectedIterationPaths, actual, previous, customUserDescription }) {
    const expected = customUserDescription ?? expectedIterationPaths.map((path) => path[0] as TokenType)
    throw expectationFault(expected, actual[0] as IToken, previous)
  },
  // chevrotain also asks this while another fault passes through; every rule ends with the end of the text anyway
  buildNotAllInputParsedMessage: () => '',
}

/** `expected`: token types, or a description. */
export function expectationFault(
  expected: readonly TokenType[] | string,
  found: IToken,
  previous: IToken | undefined,
): DdlFault {
  const unclosed = unclosedFault(found)
  if (unclosed !== undefined) return new DdlFault(found, unclosed)
  const wanted = typeof expected === 'string' ? expected : listOf(expected.map(labelOf))
  return new DdlFault(found, `expected ${wanted}`, { hint: hintFor(expected, found, previous), addFound: true })
}

function hintFor(
  expected: readonly TokenType[] | string,
  found: IToken,
  previous: IToken | undefined,
): string | undefined {
  const upper = found.image.toUpperCase()
  if (Object.hasOwn(foreignWords, upper)) return foreignWords[upper]
  if (/[‘’“”´]/.test(found.image)) return "these are typographic quotes: text stands in '…', names in `…`"
  if (previous?.tokenType === Comma && found.tokenType === RightParen) return 'remove the comma before it'
  const types = typeof expected === 'string' ? [] : expected
  if (types.includes(StringLiteral)) return "text stands in single quotes: '…'"
  if (types.includes(Equals)) return "an option is written 'name' = 'value'"
  if (types.includes(Do) || types.includes(Deduplicate)) {
    return 'the clause is ON CONFLICT DO ERROR, DO NOTHING or DO DEDUPLICATE, without columns'
  }
  const near = found.tokenType === Word ? nearKeyword(found.image, expected) : undefined
  if (near !== undefined) return `${found.image}: did you mean ${near}?`
  return types.includes(Comma) && startsMember(found) ? 'is a comma missing before it?' : undefined
}

/** One of the keywords that could stand here, else of any. */
function nearKeyword(word: string, expected: readonly TokenType[] | string): string | undefined {
  const named = typeof expected === 'string' ? expected : expected.map((type) => type.name).join(' ')
  return didYouMean(word, named.match(/\b[A-Z_]{2,}\b/g) ?? []) ?? didYouMean(word, keywordNames)
}

function startsMember(token: IToken): boolean {
  return (
    token.tokenType === StringLiteral || token.tokenType === Word || (token.tokenType.CATEGORIES ?? []).includes(Name)
  )
}

/** What could stand at the first place where no alternative goes on. */
function expectedAfter(
  paths: readonly (readonly TokenType[])[],
  actual: readonly IToken[],
): { expected: readonly TokenType[]; depth: number } {
  const depths = paths.map((path) => {
    const wrong = path.findIndex((type, index) => !matches(actual[index], type))
    return wrong < 0 ? path.length - 1 : wrong
  })
  const depth = Math.max(...depths)
  const expected = paths.flatMap((path, index) => (depths[index] === depth ? [path[depth] as TokenType] : []))
  return { expected, depth }
}

function matches(token: IToken | undefined, type: TokenType): boolean {
  if (token === undefined) return false
  return token.tokenType === type || type.categoryMatchesMap?.[token.tokenTypeIdx] === true
}

function labelOf(type: TokenType): string {
  if (type === EOF) return 'the end'
  const label = type.LABEL ?? type.name
  return /^\W/.test(label) ? `"${label}"` : label
}

function listOf(labels: readonly string[]): string {
  const unique = [...new Set(labels)]
  const last = unique.pop()
  return unique.length === 0 ? String(last) : `${unique.join(', ')} or ${last}`
}
