import { EmbeddedActionsParser, EOF, type IToken } from 'chevrotain'
import type { RowField } from '../row/data-type.ts'
import { DdlFault } from './ddl-fault.ts'
import { parseFaults } from './parse-faults.ts'
import type { ColumnType } from './statement.ts'
import * as t from './tokens.ts'
import { isTypeFault, isTypeName, namedType, type TypeFault, type TypeParameters, typeNameFault } from './type-name.ts'

/**
 * The grammar of Flink's types. Rules give what they read; the first fault ends the parse with a `DdlFault`.
 * What is not grammar stands in `ACTION`, which chevrotain leaves out while it studies the rules.
 */
export class TypeParser extends EmbeddedActionsParser {
  constructor() {
    super(t.vocabulary, { maxLookahead: 2, errorMessageProvider: parseFaults })
  }

  /** A type that is all of the text. */
  readonly loneType = this.RULE('loneType', (): ColumnType => {
    const type = this.SUBRULE(this.columnType)
    this.CONSUME(EOF)
    return type
  })

  protected readonly columnType = this.RULE('columnType', (): ColumnType => {
    let type = this.OR({
      DEF: [
        { ALT: () => this.SUBRULE(this.arrayType) },
        { ALT: () => this.SUBRULE(this.mapType) },
        { ALT: () => this.SUBRULE(this.rowType) },
        { ALT: () => this.SUBRULE(this.simpleType), IGNORE_AMBIGUITIES: true },
      ],
      ERR_MSG: 'a type',
    })
    this.MANY(() => {
      type = this.OR1([
        { ALT: () => this.SUBRULE(this.nullability, { ARGS: [type] }) },
        { ALT: () => this.SUBRULE(this.arraySuffix, { ARGS: [type] }) },
        { ALT: () => this.SUBRULE(this.multisetSuffix) },
      ])
    })
    return type
  })

  private readonly nullability = this.RULE('nullability', (type: ColumnType): ColumnType => {
    let nullable = true
    this.OPTION(() => {
      this.CONSUME(t.Not)
      nullable = false
    })
    this.CONSUME(t.Null)
    return { ...type, nullable }
  })

  private readonly arrayType = this.RULE('arrayType', (): ColumnType => {
    this.CONSUME(t.ArrayWord)
    this.CONSUME(t.Less)
    const element = this.SUBRULE(this.columnType)
    this.CONSUME(t.Greater)
    return this.ACTION(() => arrayOf(element))
  })

  /** `INT ARRAY`, the SQL standard's way. */
  private readonly arraySuffix = this.RULE('arraySuffix', (type: ColumnType): ColumnType => {
    this.CONSUME(t.ArrayWord)
    return this.ACTION(() => arrayOf(type))
  })

  private readonly multisetSuffix = this.RULE('multisetSuffix', (): ColumnType => {
    const token = this.CONSUME(t.Multiset)
    return this.ACTION(() => {
      throw faultAt(token, typeNameFault('MULTISET'))
    })
  })

  private readonly mapType = this.RULE('mapType', (): ColumnType => {
    this.CONSUME(t.MapWord)
    this.CONSUME(t.Less)
    const key = this.SUBRULE(this.columnType)
    this.CONSUME(t.Comma)
    const value = this.SUBRULE1(this.columnType)
    this.CONSUME(t.Greater)
    return this.ACTION(
      (): ColumnType => ({
        type: { name: 'MAP', key: key.type, value: value.type },
        nullable: true,
        innerNotNull: hasNotNull(key) || hasNotNull(value),
      }),
    )
  })

  private readonly rowType = this.RULE('rowType', (): ColumnType => {
    const row = this.CONSUME(t.RowWord)
    const fields = this.OR([
      {
        ALT: () => {
          this.CONSUME(t.Less)
          const inside = this.SUBRULE(this.rowFields)
          this.CONSUME(t.Greater)
          return inside
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.LeftParen)
          const inside = this.SUBRULE1(this.rowFields)
          this.CONSUME(t.RightParen)
          return inside
        },
      },
    ])
    return this.ACTION(() => rowOf(row, fields))
  })

  private readonly rowFields = this.RULE('rowFields', (): TypedName[] => {
    const fields: TypedName[] = []
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        const name = this.CONSUME(t.Name)
        const typed = this.SUBRULE(this.columnType)
        this.OPTION(() => this.CONSUME(t.Comment))
        this.OPTION1(() => this.CONSUME(t.StringLiteral))
        fields.push({ name, typed })
      },
    })
    return fields
  })

  private readonly simpleType = this.RULE('simpleType', (): ColumnType => {
    const name = this.CONSUME(t.Word)
    this.ACTION(() => {
      if (!isTypeName(name.image)) throw faultAt(name, typeNameFault(name.image))
    })
    this.OPTION({ GATE: () => name.image.toUpperCase() === 'DOUBLE', DEF: () => this.CONSUME(t.Precision) })
    const numbers = this.OPTION1(() => this.SUBRULE(this.typeNumbers)) ?? []
    const zone = this.OPTION2(() => this.SUBRULE(this.timeZone)) ?? 'none'
    return this.ACTION((): ColumnType => {
      const type = namedType(name.image, { numbers, zone })
      if (isTypeFault(type)) throw faultAt(name, type)
      return { type, nullable: true, innerNotNull: false }
    })
  })

  private readonly typeNumbers = this.RULE('typeNumbers', (): number[] => {
    const numbers: number[] = []
    this.CONSUME(t.LeftParen)
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        numbers.push(Number(this.CONSUME(t.Whole).image))
      },
    })
    this.CONSUME(t.RightParen)
    return numbers
  })

  private readonly timeZone = this.RULE('timeZone', (): TypeParameters['zone'] => {
    const zone = this.OR<TypeParameters['zone']>([
      {
        ALT: () => {
          this.CONSUME(t.With)
          return this.OPTION(() => this.CONSUME(t.Local)) === undefined ? 'with' : 'local'
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.Without)
          return 'without'
        },
      },
    ])
    this.CONSUME(t.Time)
    this.CONSUME(t.Zone)
    return zone
  })
}

interface TypedName {
  readonly name: IToken
  readonly typed: ColumnType
}

function arrayOf(element: ColumnType): ColumnType {
  return { type: { name: 'ARRAY', element: element.type }, nullable: true, innerNotNull: hasNotNull(element) }
}

function rowOf(row: IToken, typedNames: readonly TypedName[]): ColumnType {
  const fields: RowField[] = typedNames.map(({ name, typed }) => ({ name: t.nameOf(name), type: typed.type }))
  if (new Set(fields.map((field) => field.name)).size < fields.length) {
    throw new DdlFault(row, 'two fields of this ROW have the same name')
  }
  const innerNotNull = typedNames.some(({ typed }) => hasNotNull(typed))
  return { type: { name: 'ROW', fields }, nullable: true, innerNotNull }
}

function hasNotNull(typed: ColumnType): boolean {
  return !typed.nullable || typed.innerNotNull
}

function faultAt(token: IToken, fault: TypeFault): DdlFault {
  const code = fault.unsupported ? 'DDL_UNSUPPORTED' : 'DDL_SYNTAX'
  return new DdlFault(token, fault.message, { hint: fault.hint, code })
}
