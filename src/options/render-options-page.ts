import { flinkOnlyOptions } from './flink-only-options.ts'
import { flinkSettings } from './flink-settings.ts'
import type { Option, OptionAlias } from './option.ts'
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
    renderFlinkSettings(),
    renderFlinkOnlyOptions(),
  ].join('\n')
}

const introduction = `# Options

This page is made from the option tables (\`npm run docs\`); do not edit it.

- Options stand in the \`WITH\` clause of the DDL, or under \`with\` of a table object.
- A duration is a whole number with a unit, as in Flink: \`500 ms\`, \`2s\`, \`1 min\`, \`3 h\`, \`7 d\`, also \`µs\`, \`ns\` and the long
  names. \`m\` is not minutes; a bare number counts milliseconds.
- A memory size likewise: \`64 kb\`, \`8mb\`, \`1 gb\`, powers of 1024; a bare number counts bytes.
- A list is separated by commas.
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
  const also = aliases.map(aliasText).join(', ')
  return [description, secret ? 'Secret.' : '', also === '' ? '' : `Also: ${also}.`]
    .filter((part) => part !== '')
    .join(' ')
}

/** With what the values of the other sink mean here, where the words differ. */
function aliasText({ name, values = {} }: OptionAlias): string {
  const translated = Object.entries(values).map(([theirs, ours]) =>
    theirs === ours ? `\`${ours}\`` : `${theirs} is \`${ours}\``,
  )
  return translated.length === 0 ? `\`${name}\`` : `\`${name}\` (${translated.join(', ')})`
}

function renderFlinkSettings(): string {
  const rows = Object.entries(flinkSettings).map(([name, meaning]) => {
    const text = 'option' in meaning ? `the option \`${meaning.option}\`` : `not used here: ${meaning.note}`
    return `| \`${name}\` | ${text} |`
  })
  return [
    '## `SET` lines of a Flink script\n',
    'A `WITH` clause wins over them. Any other setting is reported as not used here.\n',
    '| setting | read as |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function renderFlinkOnlyOptions(): string {
  const rows = flinkOnlyOptions.map(({ name, values, reason }) => {
    const only = values === undefined ? '' : ` with a value of ${values.map((value) => `\`${value}\``).join(', ')}`
    return `| \`${name}\`${only} | ${reason} |`
  })
  return [
    '## Options of other sinks that have no effect here\n',
    'A DDL may hold them; they are reported as not used here.\n',
    '| option | why |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n')
}
