/** The table of that dotted name, of which catalog and database may be left out on either side. */
export function findTable<Table extends { readonly path: readonly string[] }>(
  tables: readonly Table[],
  name: string,
): Table | undefined {
  return (
    tables.find((table) => table.path.join('.') === name) ??
    tables.find((table) => endsWithPath(table.path.join('.'), name) || endsWithPath(name, table.path.join('.')))
  )
}

function endsWithPath(long: string, short: string): boolean {
  return long.endsWith(`.${short}`)
}
