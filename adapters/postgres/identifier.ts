/** NAMEDATALEN of a stock server: longer names are cut in silence, and two of them can become one. */
const nameBytesMax = 63

/** Why a name can't be an identifier of PostgreSQL; undefined if it can. */
export function identifierFault(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name.includes('\u0000')) return 'holds a NUL character'
  if (!isWellFormed(name)) return 'holds half a surrogate pair'
  const bytes = Buffer.byteLength(name)
  if (bytes > nameBytesMax) return `has ${bytes} bytes; PostgreSQL cuts names at ${nameBytesMax}`
  return undefined
}

/** Every table has these already; https://www.postgresql.org/docs/current/ddl-system-columns.html */
const systemColumns = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** Why a name can't be that of a column; undefined if it can. */
export function columnNameFault(name: string): string | undefined {
  return systemColumns.has(name) ? 'is that of a system column of PostgreSQL' : identifierFault(name)
}

/** Always quoted: reserved words, case, dots and spaces keep their meaning (rule C1). */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text constant; only for names of ours inside catalog queries and views, never for values of rows. */
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
  return text.includes('\\') ? `E${quoted}` : quoted
}

export interface QualifiedName {
  /** Undefined: found by the session's search_path. */
  readonly schema: string | undefined
  readonly name: string
}

export function quoteQualified({ schema, name }: QualifiedName): string {
  return schema === undefined ? quoteIdentifier(name) : `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`
}

/**
 * Reads `orders`, `public.orders`, `"My.Table"`, `"S"."T"`. Case is kept as written, quoted or not. Undefined if the text
 * is none of these.
 */
export function parseQualifiedName(text: string): QualifiedName | undefined {
  const match = /^(?:("(?:[^"]|"")+"|[^".]+)\.)?("(?:[^"]|"")+"|[^".]+)$/.exec(text)
  if (match === null) return undefined
  const [, schema, name = ''] = match
  return { schema: schema === undefined ? undefined : unquote(schema), name: unquote(name) }
}

function unquote(part: string): string {
  return part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text)
}
