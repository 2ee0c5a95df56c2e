/** Lines whose cells begin at the same place in each; nothing stands behind the last cell of a line. */
export function alignedLines(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd((widths[at] ?? 0) + 2))
      .join('')
      .trimEnd(),
  )
}
