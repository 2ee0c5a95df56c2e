import { EOF, type IToken, type TokenType, tokenMatcher } from 'chevrotain'
import { DdlFault } from './ddl-fault.ts'
import { expectationFault } from './parse-faults.ts'
import type {
  ColumnAttribute,
  CreateTable,
  InsertInto,
  OnConflict,
  OptionPair,
  Path,
  PhysicalColumn,
  PrimaryKey,
  Statement,
  TableClause,
  TableElement,
} from './statement.ts'
import * as t from './tokens.ts'
import { TypeParser } from './type-parser.ts'

/** The grammar of `CREATE TABLE` and of what stands around it in a script. Queries and expressions are skipped. */
export class DdlParser extends TypeParser {
  constructor() {
    super()
    this.performSelfAnalysis()
  }

  /** All of a text. A `;` may be missing where the end of a statement is plain without it. */
  readonly script = this.RULE('script', (): Statement[] => {
    const statements: Statement[] = []
    this.MANY(() => {
      this.OR([
        { ALT: () => this.CONSUME(t.Semicolon) },
        {
          ALT: () => {
            const statement = this.SUBRULE(this.statement)
            this.ACTION(() => statements.push(statement))
          },
        },
      ])
    })
    this.ACTION(() => {
      if (!t.isEnd(this.LA(1))) throw this.unexpected('a statement such as CREATE TABLE or INSERT INTO')
    })
    this.CONSUME(EOF)
    return statements
  })

  private readonly statement = this.RULE(
    'statement',
    (): Statement =>
      this.OR<Statement>([
        { ALT: () => this.SUBRULE(this.create) },
        { ALT: () => this.SUBRULE(this.insert) },
        { ALT: () => this.SUBRULE(this.set) },
        { ALT: () => this.SUBRULE(this.resetStatement) },
        { ALT: () => this.SUBRULE(this.alter) },
        { ALT: () => this.SUBRULE(this.wrapped) },
        { ALT: () => this.SUBRULE(this.unused) },
      ]),
  )

  private readonly create = this.RULE('create', (): Statement => {
    this.CONSUME(t.Create)
    this.OPTION(() => {
      this.CONSUME(t.Or)
      // OR ALTER is for materialized tables, which are passed over
      this.OR([{ ALT: () => this.CONSUME(t.Replace) }, { ALT: () => this.CONSUME(t.Alter) }])
    })
    this.OPTION1(() => this.CONSUME(t.Temporary))
    this.OPTION2(() => this.CONSUME(t.System))
    return this.OR1<Statement>([
      { ALT: () => this.SUBRULE(this.createTable) },
      {
        ALT: () => {
          const object = this.CONSUME(t.OtherObject)
          this.SUBRULE(this.query)
          return { kind: 'unused', what: `CREATE ${object.image.toUpperCase()}` }
        },
      },
    ])
  })

  private readonly createTable = this.RULE('createTable', (): CreateTable => {
    this.CONSUME(t.Table)
    const ifNotExists = this.OPTION(() => this.SUBRULE(this.ifNotExists)) ?? false
    const path = this.SUBRULE(this.path)
    const elements: TableElement[] = []
    this.OPTION1(() => {
      this.CONSUME(t.LeftParen)
      this.MANY_SEP({ SEP: t.Comma, DEF: () => elements.push(this.SUBRULE(this.element)) })
      this.CONSUME(t.RightParen)
    })
    const clauses: TableClause[] = []
    this.MANY(() => clauses.push(this.SUBRULE(this.clause)))
    this.ACTION(() => {
      const expected =
        elements.length === 0 ? '"(" and columns' : 'WITH, COMMENT, PARTITIONED BY, DISTRIBUTED BY or ";"'
      if (!this.atStatementEnd()) throw this.unexpected(expected)
    })
    return { kind: 'create-table', path, ifNotExists, elements, clauses }
  })

  private readonly ifNotExists = this.RULE('ifNotExists', (): boolean => {
    this.CONSUME(t.If)
    this.CONSUME(t.Not)
    this.CONSUME(t.Exists)
    return true
  })

  /** The words that open a clause are also names of columns, so the word behind them decides. */
  private readonly element = this.RULE(
    'element',
    (): TableElement =>
      this.OR<TableElement>({
        DEF: [
          { GATE: () => this.startsConstraint(), ALT: () => this.SUBRULE(this.constraint), IGNORE_AMBIGUITIES: true },
          { GATE: () => this.startsWatermark(), ALT: () => this.SUBRULE(this.watermark), IGNORE_AMBIGUITIES: true },
          {
            GATE: () => this.LA(2).tokenType === t.As,
            ALT: () => this.SUBRULE(this.computedColumn),
            IGNORE_AMBIGUITIES: true,
          },
          { ALT: () => this.SUBRULE(this.physicalColumn) },
        ],
        ERR_MSG: 'a column, PRIMARY KEY or WATERMARK',
      }),
  )

  private readonly physicalColumn = this.RULE('physicalColumn', (): PhysicalColumn => {
    const name = this.CONSUME(t.Name)
    const type = this.SUBRULE(this.columnType)
    const attributes: ColumnAttribute[] = []
    this.MANY(() => attributes.push(this.SUBRULE(this.attribute)))
    return { kind: 'column', name, type, attributes }
  })

  private readonly attribute = this.RULE(
    'attribute',
    (): ColumnAttribute =>
      this.OR<ColumnAttribute>([
        { ALT: () => this.SUBRULE(this.metadata) },
        { ALT: () => this.SUBRULE(this.comment) },
        { ALT: () => this.SUBRULE(this.constraint) },
        {
          ALT: () => {
            this.CONSUME(t.Not)
            this.CONSUME(t.Null)
            return { kind: 'not-null' }
          },
        },
        {
          ALT: () => {
            this.CONSUME1(t.Null)
            return { kind: 'null' }
          },
        },
      ]),
  )

  private readonly metadata = this.RULE('metadata', (): ColumnAttribute => {
    this.CONSUME(t.Metadata)
    this.OPTION(() => {
      this.CONSUME(t.From)
      this.CONSUME(t.StringLiteral)
    })
    this.OPTION1(() => this.CONSUME(t.Virtual))
    return { kind: 'metadata' }
  })

  private readonly comment = this.RULE('comment', (): { kind: 'comment'; text: string } => {
    this.CONSUME(t.Comment)
    const literal = this.CONSUME(t.StringLiteral)
    return { kind: 'comment', text: t.textOf(literal) }
  })

  /** At table level with its columns, behind a column without. */
  private readonly constraint = this.RULE('constraint', (): PrimaryKey | { kind: 'unique' } => {
    this.OPTION(() => {
      this.CONSUME(t.Constraint)
      this.CONSUME(t.Name)
    })
    const primary = this.OR<IToken | undefined>([
      {
        ALT: () => {
          const token = this.CONSUME(t.Primary)
          this.CONSUME(t.Key)
          return token
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.Unique)
          return undefined
        },
      },
    ])
    const columns = this.OPTION1(() => this.SUBRULE(this.nameList)) ?? []
    this.OPTION2(() => this.SUBRULE(this.enforcement))
    return primary === undefined ? { kind: 'unique' } : { kind: 'primary-key', token: primary, columns }
  })

  private readonly enforcement = this.RULE('enforcement', (): void => {
    this.OPTION(() => this.CONSUME(t.Not))
    this.CONSUME(t.Enforced)
  })

  private readonly watermark = this.RULE('watermark', (): TableElement => {
    this.CONSUME(t.Watermark)
    this.CONSUME(t.For)
    const path = this.SUBRULE(this.path)
    this.CONSUME(t.As)
    this.SUBRULE(this.expression)
    return this.ACTION((): TableElement => ({ kind: 'watermark', of: path.parts.join('.') }))
  })

  private readonly computedColumn = this.RULE('computedColumn', (): TableElement => {
    const name = this.CONSUME(t.Name)
    this.CONSUME(t.As)
    this.SUBRULE(this.expression)
    return { kind: 'computed', name }
  })

  private readonly clause = this.RULE(
    'clause',
    (): TableClause =>
      this.OR<TableClause>([
        { ALT: () => this.SUBRULE(this.comment) },
        { ALT: () => this.SUBRULE(this.partitioned) },
        { ALT: () => this.SUBRULE(this.distributed) },
        {
          ALT: () => {
            this.CONSUME(t.With)
            const options = this.SUBRULE(this.optionList)
            return { kind: 'with', options }
          },
        },
        { ALT: () => this.refuse(this.CONSUME(t.Like), 'LIKE', 'write the columns of the other table here') },
        {
          ALT: () =>
            this.refuse(this.CONSUME(t.As), 'AS SELECT', 'write the columns here and INSERT INTO … SELECT below'),
        },
      ]),
  )

  private readonly partitioned = this.RULE('partitioned', (): TableClause => {
    this.CONSUME(t.Partitioned)
    this.CONSUME(t.By)
    const columns = this.SUBRULE(this.nameList)
    return { kind: 'partitioned', columns }
  })

  private readonly distributed = this.RULE('distributed', (): TableClause => {
    this.CONSUME(t.Distributed)
    this.OPTION(() => {
      this.CONSUME(t.By)
      this.OPTION1(() => this.CONSUME(t.Word))
      this.SUBRULE(this.nameList)
    })
    this.OPTION2(() => {
      this.CONSUME(t.Into)
      this.CONSUME(t.Whole)
      this.CONSUME(t.Buckets)
    })
    return { kind: 'distributed' }
  })

  private readonly nameList = this.RULE('nameList', (): IToken[] => {
    const names: IToken[] = []
    this.CONSUME(t.LeftParen)
    this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => names.push(this.CONSUME(t.Name)) })
    this.CONSUME(t.RightParen)
    return names
  })

  private readonly optionList = this.RULE('optionList', (): OptionPair[] => {
    const pairs: OptionPair[] = []
    this.CONSUME(t.LeftParen)
    this.OR([
      { ALT: () => this.CONSUME(t.RightParen) },
      {
        ALT: () => {
          this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => pairs.push(this.SUBRULE(this.optionPair)) })
          this.CONSUME1(t.RightParen)
        },
      },
    ])
    return pairs
  })

  private readonly optionPair = this.RULE('optionPair', (): OptionPair => {
    const token = this.CONSUME(t.StringLiteral)
    this.CONSUME(t.Equals)
    const value = this.CONSUME1(t.StringLiteral)
    return this.ACTION(() => ({ token, key: t.textOf(token), value: t.textOf(value) }))
  })

  private readonly insert = this.RULE('insert', (): InsertInto => {
    this.CONSUME(t.Insert)
    const overwrite = this.OR([
      {
        ALT: () => {
          this.CONSUME(t.Into)
          return false
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.Overwrite)
          return true
        },
      },
    ])
    const target = this.SUBRULE(this.path)
    const hints = this.OPTION(() => this.SUBRULE(this.optionsHint)) ?? []
    this.ACTION(() => {
      if (this.LA(1).tokenType === t.Semicolon || t.isEnd(this.LA(1))) throw this.unexpected('SELECT or VALUES')
    })
    this.SUBRULE(this.query)
    const onConflict = this.OPTION1(() => this.SUBRULE(this.conflictClause))
    return { kind: 'insert', target, overwrite, hints, onConflict }
  })

  private readonly optionsHint = this.RULE('optionsHint', (): OptionPair[] => {
    this.CONSUME(t.HintOpen)
    this.CONSUME(t.Options)
    const pairs = this.SUBRULE(this.optionList)
    this.CONSUME(t.HintClose)
    return pairs
  })

  private readonly conflictClause = this.RULE('conflictClause', (): OnConflict => {
    this.CONSUME(t.On)
    this.CONSUME(t.Conflict)
    this.CONSUME(t.Do)
    const word = this.OR([
      { ALT: () => this.CONSUME(t.ErrorWord) },
      { ALT: () => this.CONSUME(t.Nothing) },
      { ALT: () => this.CONSUME(t.Deduplicate) },
    ])
    return this.ACTION(() => {
      if (!this.atStatementEnd()) throw this.unexpected('";" after the ON CONFLICT clause')
      return word.image.toLowerCase() as OnConflict
    })
  })

  /** `SET 'k' = 'v'`, the older `SET k=v`, and `SET` alone, which lists the settings. */
  private readonly set = this.RULE('set', (): Statement => {
    this.CONSUME(t.SetWord)
    const key = this.SUBRULE(this.settingText, { ARGS: [true] })
    const value = this.OPTION(() => {
      this.CONSUME(t.Equals)
      return this.SUBRULE1(this.settingText, { ARGS: [false] })
    })
    return this.ACTION((): Statement => {
      if (value === undefined || key === '') return { kind: 'unused', what: 'SET without a value' }
      return { kind: 'set', key, value }
    })
  })

  private readonly resetStatement = this.RULE('resetStatement', (): Statement => {
    this.CONSUME(t.Reset)
    const key = this.SUBRULE(this.settingText, { ARGS: [true] })
    return this.ACTION((): Statement => ({ kind: 'reset', key: key === '' ? undefined : key }))
  })

  /** One text in quotes, or bare tokens up to the end of the line. */
  private readonly settingText = this.RULE('settingText', (isKey: boolean): string => {
    const line = this.LA(0).endLine
    const tokens: IToken[] = []
    this.MANY({
      GATE: () => {
        const next = this.LA(1)
        if (tokens.length === 0 && next.tokenType === t.StringLiteral) return true
        if (isKey && next.tokenType === t.Equals) return false
        return next.startLine === line && tokens[0]?.tokenType !== t.StringLiteral
      },
      DEF: () => tokens.push(this.CONSUME(t.Skippable)),
    })
    return this.ACTION(() => {
      const [first] = tokens
      return first?.tokenType === t.StringLiteral ? t.textOf(first) : joined(tokens)
    })
  })

  private readonly alter = this.RULE('alter', (): Statement => {
    const token = this.CONSUME(t.Alter)
    this.ACTION(() => {
      if (this.LA(1).tokenType !== t.Table) return
      throw new DdlFault(token, 'ALTER TABLE is not read', {
        hint: 'write the change into the CREATE TABLE',
        code: 'DDL_UNSUPPORTED',
      })
    })
    this.SUBRULE(this.query)
    return { kind: 'unused', what: 'ALTER' }
  })

  /** `BEGIN STATEMENT SET`, `EXECUTE STATEMENT SET BEGIN INSERT …`, `EXPLAIN INSERT …`, `COMPILE PLAN … FOR INSERT …`, `END`. */
  private readonly wrapped = this.RULE('wrapped', (): Statement => {
    const first = this.CONSUME(t.Wrapper)
    this.SUBRULE(this.query)
    const insert = this.OPTION({ GATE: () => this.LA(1).tokenType === t.Insert, DEF: () => this.SUBRULE(this.insert) })
    return this.ACTION((): Statement => insert ?? { kind: 'unused', what: first.image.toUpperCase() })
  })

  private readonly unused = this.RULE('unused', (): Statement => {
    const first = this.CONSUME(t.Unused)
    this.SUBRULE(this.query)
    return this.ACTION((): Statement => ({ kind: 'unused', what: first.image.toUpperCase() }))
  })

  private readonly path = this.RULE('path', (): Path => {
    const token = this.CONSUME(t.Name)
    const parts = [t.nameOf(token)]
    this.MANY(() => {
      this.CONSUME(t.Dot)
      parts.push(t.nameOf(this.CONSUME1(t.Name)))
    })
    return { token, parts }
  })

  /** Skips to the `;`, to an `ON CONFLICT`, or to what can only be the next statement. */
  private readonly query = this.RULE('query', (): void => {
    this.MANY({
      GATE: () => !this.startsNextStatement() && !this.startsConflictClause(),
      DEF: () => this.SUBRULE(this.skipped),
    })
  })

  /** Skips to a `,` or `)` that is not inside brackets. */
  private readonly expression = this.RULE('expression', (): void => {
    this.AT_LEAST_ONE({
      GATE: () => this.LA(1).tokenType !== t.Comma,
      DEF: () => this.SUBRULE(this.skipped),
      ERR_MSG: 'an expression',
    })
  })

  private readonly skipped = this.RULE('skipped', (): void => {
    this.OR([
      { ALT: () => this.SUBRULE(this.parentheses) },
      { ALT: () => this.SUBRULE(this.squareBrackets) },
      { ALT: () => this.CONSUME(t.Skippable) },
    ])
  })

  private readonly parentheses = this.RULE('parentheses', (): void => {
    const open = this.CONSUME(t.LeftParen)
    this.MANY(() => this.SUBRULE(this.skipped))
    this.ACTION(() => this.expectClosing(open, t.RightParen))
    this.CONSUME(t.RightParen)
  })

  private readonly squareBrackets = this.RULE('squareBrackets', (): void => {
    const open = this.CONSUME(t.LeftBracket)
    this.MANY(() => this.SUBRULE(this.skipped))
    this.ACTION(() => this.expectClosing(open, t.RightBracket))
    this.CONSUME(t.RightBracket)
  })

  private startsConstraint(): boolean {
    const [first, second, third] = [this.LA(1).tokenType, this.LA(2).tokenType, this.LA(3).tokenType]
    if (first === t.Constraint) return third === t.Primary || third === t.Unique
    return (first === t.Primary && second === t.Key) || (first === t.Unique && second === t.LeftParen)
  }

  private startsWatermark(): boolean {
    return this.LA(1).tokenType === t.Watermark && this.LA(2).tokenType === t.For
  }

  /** `INSERT(…)` is a function and `UPDATE t SET c = …` a clause, so the word behind decides. */
  private startsNextStatement(): boolean {
    const [first, second] = [this.LA(1).tokenType, this.LA(2).tokenType]
    if (first === t.Insert) return second === t.Into || second === t.Overwrite
    return first === t.Create || (first === t.SetWord && second === t.StringLiteral)
  }

  private startsConflictClause(): boolean {
    return this.LA(1).tokenType === t.On && this.LA(2).tokenType === t.Conflict
  }

  private atStatementEnd(): boolean {
    const next = this.LA(1)
    return next.tokenType === t.Semicolon || t.isEnd(next) || tokenMatcher(next, t.Starter)
  }

  private expectClosing(open: IToken, close: TokenType): void {
    if (this.LA(1).tokenType !== close) throw new DdlFault(open, `this "${open.image}" is never closed`)
  }

  private unexpected(expected: string): DdlFault {
    return expectationFault(expected, this.LA(1), this.LA(0))
  }

  private refuse(token: IToken, what: string, hint: string): never {
    return this.ACTION(() => {
      throw new DdlFault(token, `CREATE TABLE … ${what} is not read`, { hint, code: 'DDL_UNSUPPORTED' })
    }) as never
  }
}

/** Bare tokens as one text; blanks between them count as one. */
function joined(tokens: readonly IToken[]): string {
  let text = ''
  let end = tokens[0]?.startOffset ?? 0
  for (const token of tokens) {
    text += token.startOffset > end ? ` ${token.image}` : token.image
    end = token.startOffset + token.image.length
  }
  return text
}
