import { createToken, EOF, type IToken, Lexer, type TokenType } from 'chevrotain'

/** Any token that may stand in a query or an expression, which are skipped; parentheses and `;` apart. */
export const Skippable = createToken({ name: 'Skippable', pattern: Lexer.NA, label: 'an expression' })

/** A name, quoted or not. Every keyword is one where the grammar leaves no doubt, so `status` or `data` need no quotes. */
export const Name = createToken({ name: 'Name', pattern: Lexer.NA, label: 'a name' })

/** Words with which a statement begins. */
export const Starter = createToken({ name: 'Starter', pattern: Lexer.NA, label: 'a statement' })
/** … one that may hold an INSERT: `EXECUTE STATEMENT SET BEGIN INSERT …`, `EXPLAIN INSERT …`. */
export const Wrapper = createToken({ name: 'Wrapper', pattern: Lexer.NA, categories: Starter })
/** … one that has no effect here. */
export const Unused = createToken({ name: 'Unused', pattern: Lexer.NA, categories: Starter })
/** What CREATE may make beside a table. */
export const OtherObject = createToken({ name: 'OtherObject', pattern: Lexer.NA, label: 'VIEW' })

/** Letters of every script; NBSP and typographic quotes are not among them. */
export const Word = createToken({
  name: 'Word',
  pattern: /[A-Za-z_$\u00aa-\u1fff\u2c00-\u2fff\u3003-\ufefe][A-Za-z0-9_$\u00aa-\u1fff\u2c00-\u2fff\u3003-\ufefe]*/,
  label: 'a name',
  categories: [Name, Skippable],
})

const keywords: TokenType[] = []

function keyword(word: string, ...categories: TokenType[]): TokenType {
  const token = createToken({
    name: word,
    label: word,
    pattern: new RegExp(word, 'i'),
    longer_alt: Word,
    categories: [Word, ...categories],
  })
  keywords.push(token)
  return token
}

export const Create = keyword('CREATE', Starter)
export const Insert = keyword('INSERT', Starter)
export const SetWord = keyword('SET', Starter)
export const Reset = keyword('RESET', Starter)
export const Alter = keyword('ALTER', Starter)
for (const word of ['BEGIN', 'STATEMENT', 'END', 'EXECUTE', 'EXPLAIN', 'COMPILE']) keyword(word, Wrapper)
for (const word of ['SELECT', 'VALUES', 'DROP', 'USE', 'SHOW', 'DESCRIBE', 'DESC', 'ADD', 'REMOVE', 'LOAD', 'UNLOAD']) {
  keyword(word, Unused)
}
for (const word of ['CALL', 'ANALYZE', 'UPDATE', 'DELETE', 'TRUNCATE', 'QUIT', 'EXIT', 'HELP', 'CLEAR', 'STOP']) {
  keyword(word, Unused)
}
for (const word of ['VIEW', 'FUNCTION', 'CATALOG', 'DATABASE', 'MODEL', 'MATERIALIZED', 'CONNECTION']) {
  keyword(word, OtherObject)
}
export const With = keyword('WITH', Unused)
export const Or = keyword('OR')
export const Replace = keyword('REPLACE')
export const Temporary = keyword('TEMPORARY')
export const System = keyword('SYSTEM')
export const Table = keyword('TABLE')
export const If = keyword('IF')
export const Not = keyword('NOT')
export const Exists = keyword('EXISTS')
export const Constraint = keyword('CONSTRAINT')
export const Primary = keyword('PRIMARY')
export const Unique = keyword('UNIQUE')
export const Key = keyword('KEY')
export const Enforced = keyword('ENFORCED')
export const Null = keyword('NULL')
export const Comment = keyword('COMMENT')
export const As = keyword('AS')
export const Metadata = keyword('METADATA')
export const From = keyword('FROM')
export const Virtual = keyword('VIRTUAL')
export const Watermark = keyword('WATERMARK')
export const For = keyword('FOR')
export const Partitioned = keyword('PARTITIONED')
export const Distributed = keyword('DISTRIBUTED')
export const By = keyword('BY')
export const Into = keyword('INTO')
export const Overwrite = keyword('OVERWRITE')
export const Buckets = keyword('BUCKETS')
export const Like = keyword('LIKE')
export const On = keyword('ON')
export const Conflict = keyword('CONFLICT')
export const Do = keyword('DO')
export const ErrorWord = keyword('ERROR')
export const Nothing = keyword('NOTHING')
export const Deduplicate = keyword('DEDUPLICATE')
export const Options = keyword('OPTIONS')
export const ArrayWord = keyword('ARRAY')
export const MapWord = keyword('MAP')
export const RowWord = keyword('ROW')
export const Multiset = keyword('MULTISET')
export const Precision = keyword('PRECISION')
export const Without = keyword('WITHOUT')
export const Local = keyword('LOCAL')
export const Time = keyword('TIME')
export const Zone = keyword('ZONE')

export const StringLiteral = createToken({
  name: 'StringLiteral',
  pattern: /(?:U&)?'(?:[^']|'')*'/i,
  label: 'text in single quotes',
  line_breaks: true,
  categories: Skippable,
})
const Backquoted = createToken({
  name: 'Backquoted',
  pattern: /`(?:[^`]|``)+`/,
  line_breaks: true,
  categories: [Name, Skippable],
})
export const DoubleQuoted = createToken({
  name: 'DoubleQuoted',
  pattern: /"(?:[^"]|"")+"/,
  line_breaks: true,
  categories: [Name, Skippable],
})
export const Whole = createToken({ name: 'Whole', pattern: /\d+/, label: 'a whole number', categories: Skippable })

export const LeftParen = punctuation('LeftParen', '(')
export const RightParen = punctuation('RightParen', ')')
export const LeftBracket = punctuation('LeftBracket', '[')
export const RightBracket = punctuation('RightBracket', ']')
export const Semicolon = punctuation('Semicolon', ';')
export const Comma = punctuation('Comma', ',', Skippable)
export const Dot = punctuation('Dot', '.', Skippable)
export const Equals = punctuation('Equals', '=', Skippable)
export const Less = punctuation('Less', '<', Skippable)
export const Greater = punctuation('Greater', '>', Skippable)
// a class such as [^] or [\s\S] would be left out by chevrotain's first-character optimisation
const Other = createToken({ name: 'Other', pattern: /[!-\uffff]/, categories: Skippable })

/** `/*+ OPTIONS('k'='v') *\/` behind the target of an INSERT sets options, so it is no comment. */
export const HintOpen = createToken({ name: 'HintOpen', pattern: /\/\*\+/, push_mode: 'hint', categories: Skippable })
export const HintClose = createToken({
  name: 'HintClose',
  pattern: /\*\//,
  pop_mode: true,
  categories: Skippable,
  label: '*/',
})

/** Openings that never close. They take the rest of the text, so that one fault is reported and not a hundred. */
const unclosed = {
  text: createToken({ name: 'UnclosedText', pattern: /'[\s\S]*/, line_breaks: true }),
  backquoted: createToken({ name: 'UnclosedBackquoted', pattern: /`[\s\S]*/, line_breaks: true }),
  doubleQuoted: createToken({ name: 'UnclosedDoubleQuoted', pattern: /"[\s\S]*/, line_breaks: true }),
  comment: createToken({ name: 'UnclosedComment', pattern: /\/\*[\s\S]*/, line_breaks: true }),
}

/** What is wrong with a token that never closes; undefined for any other. */
export function unclosedFault(token: IToken): string | undefined {
  switch (token.tokenType) {
    case unclosed.text:
      return "the text that begins here is never closed by '"
    case unclosed.backquoted:
      return 'the name that begins here is never closed by `'
    case unclosed.doubleQuoted:
      return 'the name that begins here is never closed by "'
    case unclosed.comment:
      return 'the comment that begins here is never closed by */'
    default:
      return undefined
  }
}

const skipped = [
  createToken({ name: 'Blank', pattern: /\s+/, line_breaks: true, group: Lexer.SKIPPED }),
  createToken({ name: 'LineComment', pattern: /(?:--|\/\/)[^\n\r]*/, group: Lexer.SKIPPED }),
  createToken({ name: 'BlockComment', pattern: /\/\*[\s\S]*?\*\//, line_breaks: true, group: Lexer.SKIPPED }),
]

const abstract = [Skippable, Name, Starter, Wrapper, Unused, OtherObject]
const quoted = [StringLiteral, Backquoted, DoubleQuoted, ...Object.values(unclosed)]
const marks = [LeftParen, RightParen, LeftBracket, RightBracket, Semicolon, Comma, Dot, Equals, Less, Greater]
// a keyword that begins with another (WITHOUT, WITH) has to be tried first
const longestFirst = keywords.toSorted((a, b) => b.name.length - a.name.length)
const plain = [...skipped, ...quoted, ...longestFirst, Word, Whole, ...marks, Other, ...abstract]

/** In the order in which they are tried. */
const modes = { sql: [HintOpen, ...plain], hint: [HintClose, ...plain] }

export const vocabulary = { modes, defaultMode: 'sql' }

/** Keywords by name, for "did you mean". */
export const keywordNames: readonly string[] = keywords.map((token) => token.name)

const lexer = new Lexer(vocabulary, { ensureOptimizations: true })

/** Every text has tokens: what is no SQL becomes single characters; control characters count as blanks. */
export function tokenize(sql: string): IToken[] {
  return lexer.tokenize(sql).tokens
}

/** A name without its quotes. */
export function nameOf(token: IToken): string {
  const quote = token.image[0]
  if (quote !== '`' && quote !== '"') return token.image
  return token.image.slice(1, -1).replaceAll(quote + quote, quote)
}

/** The text of a literal in single quotes; `U&'\\0001'` escapes code points. */
export function textOf(token: IToken): string {
  const text = token.image.slice(token.image.indexOf("'") + 1, -1).replaceAll("''", "'")
  if (token.image.startsWith("'")) return text
  return text.replace(/\\(?:(\\)|\+([\dA-F]{6})|([\dA-F]{4}))/gi, (_, backslash, six, four) =>
    backslash === undefined ? String.fromCodePoint(Number.parseInt(six ?? four, 16)) : backslash,
  )
}

export function isEnd(token: IToken): boolean {
  return token.tokenType === EOF
}

function punctuation(name: string, mark: string, ...categories: TokenType[]): TokenType {
  return createToken({ name, label: mark, pattern: mark, categories })
}
