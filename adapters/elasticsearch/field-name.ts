import { isWellFormed } from './well-formed.ts'

/** Fields that every document has of itself; they cannot be columns. */
const metadataFields: ReadonlySet<string> = new Set([
  ...['_id', '_index', '_source', '_routing', '_type', '_field_names', '_ignored', '_nested_path', '_size'],
  ...[
    '_seq_no',
    '_primary_term',
    '_version',
    '_doc_count',
    '_data_stream_timestamp',
    '_tier',
    '_tsid',
    '_meta',
    '_feature',
  ],
])

/** Why a name cannot be that of a field; undefined if it can. A dot in it makes a path, whose parts must be names. */
export function fieldNameFault(name: string): string | undefined {
  if (metadataFields.has(name)) return 'is that of a field which every document has of itself'
  if (!isWellFormed(name)) return 'holds half of a surrogate pair'
  if (name.includes('\0')) return 'holds a NUL character'
  if (name.split('.').some((part) => part.trim() === '')) {
    return 'is blank, or has a dot at its start or end or next to another'
  }
  return undefined
}

/** Two names of which one would be an object and a value at once, as `a` and `a.b`. */
export function conflictingNames(names: readonly string[]): readonly (readonly [inner: string, outer: string])[] {
  const known = new Set(names)
  return names.flatMap((name) => {
    const parts = name.split('.')
    return parts.slice(1).flatMap((_, index) => {
      const outer = parts.slice(0, index + 1).join('.')
      return known.has(outer) ? [[name, outer] as const] : []
    })
  })
}
