import type { Option } from './option.ts'
import type { OptionTable } from './option-table.ts'

/** The options of one connector beside the shared ones. */
export interface ConnectorOptionTable {
  readonly name: string
  readonly options: OptionTable
}

/** `docs/options.md`, made from the option tables alone. */
export function renderOptionsPage(shared: OptionTable, connectors: readonly ConnectorOptionTable[]): string {
  const sections = [...new Set(Object.values(shared).map(({ section }) => section))]
  return [
    introduction,
    ...sections.map((section) => renderTable(section, entriesOf(shared, section))),
    '## Options of each connector\n',
    ...connectors.map(({ name, options }) => renderConnector(name, options)),
  ].join('\n')
}

const introduction = `# Options

This page is made from the option tables (\`npm run docs\`); do not edit it.

- Options stand in the \`WITH\` clause of the DDL, or under \`with\` of a table object.
- A duration is a number with a unit, as in Flink: \`500 ms\`, \`2s\`, \`1 min\`, \`3 h\`. A size likewise: \`8mb\`, \`64 kb\`.
- A \`*\` stands for the name of a column, or of several with commas between them.
- Names that other sinks use are accepted too ("also"), and reported under the name used here. Any other name is refused.
- \`\${env:NAME}\` and \`\${file:path}\` in a value are replaced by the variable or the content of the file. Secrets are never printed.
- Ids such as K2 are rules of the [specification](SPEC.md).
`

type Entry = readonly [name: string, option: Option]

function entriesOf(table: OptionTable, section: string): readonly Entry[] {
  return Object.entries(table).filter(([, option]) => option.section === section)
}

function renderConnector(name: string, options: OptionTable): string {
  const entries = Object.entries(options)
  return entries.length === 0 ? `### ${name}\n\nNone of its own.\n` : renderTable(name, entries, '###')
}

function renderTable(heading: string, entries: readonly Entry[], level = '##'): string {
  const rows = entries.map(([name, option]) => {
    const cells = [`\`${name}\``, option.type, defaultOf(option), description(option)]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return [`${level} ${heading}`, '', '| option | type | default | |', '|---|---|---|---|', ...rows, ''].join('\n')
}

function defaultOf(option: Option): string {
  if (option.presence === 'required') return 'required'
  return option.defaultNote ?? (option.default === undefined ? '' : `\`${option.default}\``)
}

function description({ description, secret, aliases }: Option): string {
  const also = aliases.map(({ name }) => `\`${name}\``).join(', ')
  return [description, secret ? 'Secret.' : '', also === '' ? '' : `Also: ${also}.`]
    .filter((part) => part !== '')
    .join(' ')
}
