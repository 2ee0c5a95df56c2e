/** Why a name can't be an identifier of ClickHouse; undefined if it can. */
export function identifierFault(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name.includes('\u0000')) return 'holds a NUL character'
  if (/[\ud800-\udfff]/u.test(name)) return 'holds half a surrogate pair'
  // a table is a folder, a column a file
  return Buffer.byteLength(name) > 200 ? `has ${Buffer.byteLength(name)} bytes; file names hold about 200` : undefined
}

/** Always quoted: reserved words, case, dots and spaces keep their meaning (rule C1). */
export function quoteIdentifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}

export interface QualifiedName {
  /** Undefined: the connection's. */
  readonly database: string | undefined
  readonly name: string
}

export function quoteQualified({ database, name }: QualifiedName): string {
  return database === undefined ? quoteIdentifier(name) : `${quoteIdentifier(database)}.${quoteIdentifier(name)}`
}

/** Reads `orders`, `shop.orders` and, with dots inside of names, `` `my.shop`.`my.orders` ``. Undefined if the text is none of these. */
export function parseQualifiedName(text: string): QualifiedName | undefined {
  const match = /^(?:(`[^`]+`|[^`.]+)\.)?(`[^`]+`|[^`.]+)$/.exec(text)
  if (match === null) return undefined
  const [, database, name = ''] = match
  return { database: database === undefined ? undefined : unquote(database), name: unquote(name) }
}

function unquote(part: string): string {
  return part.startsWith('`') ? part.slice(1, -1) : part
}
