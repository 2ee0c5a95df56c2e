/**
 * A column type of Flink SQL as TypeScript checks it: `'BIGINT'`, `'DECIMAL(12, 2) NOT NULL'`. What stands inside
 * `< >` is checked when the table is defined.
 */
export type ColumnTypeText = `${DataTypeText}${'' | ' NOT NULL' | ' NULL'}`

type DataTypeText =
  | 'BOOLEAN'
  | 'TINYINT'
  | 'SMALLINT'
  | 'INT'
  | 'INTEGER'
  | 'BIGINT'
  | 'FLOAT'
  | 'DOUBLE'
  | 'DOUBLE PRECISION'
  | 'STRING'
  | 'BYTES'
  | 'DATE'
  | 'JSON'
  | 'UUID'
  | Sized<'CHAR' | 'VARCHAR' | 'BINARY' | 'VARBINARY'>
  | Sized<'DECIMAL' | 'DEC' | 'NUMERIC'>
  | `${'DECIMAL' | 'DEC' | 'NUMERIC'}(${bigint},${'' | ' '}${bigint})`
  | Sized<'TIME' | 'TIMESTAMP' | 'TIMESTAMP_LTZ'>
  | `${Sized<'TIMESTAMP'>} WITH LOCAL TIME ZONE`
  | `${Sized<'TIME' | 'TIMESTAMP'>} WITHOUT TIME ZONE`
  | `${'ARRAY' | 'MAP' | 'ROW'}<${string}>`

type Sized<Name extends string> = Name | `${Name}(${bigint})`
