/** CREATE TABLE of the sink; `columns` is what stands between the parentheses. */
export function sinkTable(
  url: string,
  name: string,
  columns: string,
  options: Readonly<Record<string, string>> = {},
): string {
  const connector = url.startsWith('mysql:') ? 'mysql' : 'postgres'
  const given = { connector, url, ...options }
  const lines = Object.entries(given).map(([option, value]) => `'${option}' = '${value.replaceAll("'", "''")}'`)
  return `CREATE TABLE \`${name}\` (${columns}) WITH (${lines.join(', ')})`
}
