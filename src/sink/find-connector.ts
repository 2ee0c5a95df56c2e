import type { Connector } from '../connector/connector.ts'
import { didYouMean } from '../did-you-mean.ts'
import { TidegateError } from '../errors.ts'
import { expandReferences } from '../options/references.ts'

export type ConnectorLoaders = Readonly<Record<string, () => Promise<Connector>>>

/** The connector that `'connector'` names, by its own name or by an alias such as jdbc with a certain url. */
export async function findConnector(
  options: Readonly<Record<string, string>>,
  given: readonly Connector[],
  builtin: ConnectorLoaders,
): Promise<Connector> {
  const name = options['connector']
  if (name === undefined) {
    throw new TidegateError("the table has no option 'connector'", {
      code: 'OPTION_INVALID',
      hint: `say which store it is in: ${Object.keys(builtin).join(', ')}`,
    })
  }
  const own = given.find((connector) => connector.name === name)
  if (own !== undefined) return own
  if (Object.hasOwn(builtin, name)) return await (builtin[name] as () => Promise<Connector>)()
  const loaded = [...given, ...(await Promise.all(Object.values(builtin).map((load) => load())))]
  const expanded = expandReferences(options['url'] ?? '')
  // a reference that leads nowhere is reported with the other options
  const url = 'value' in expanded ? expanded.value : ''
  const aliased = loaded.find((connector) => answersTo(connector, name, url))
  if (aliased !== undefined) return aliased
  throw unknownConnector(name, loaded)
}

function answersTo(connector: Connector, name: string, url: string): boolean {
  return (connector.aliases ?? []).some(
    (alias) => alias.connector === name && (alias.urlPrefix === undefined || url.startsWith(alias.urlPrefix)),
  )
}

function unknownConnector(name: string, loaded: readonly Connector[]): TidegateError {
  const prefixes = loaded.flatMap(({ aliases }) =>
    (aliases ?? []).filter((alias) => alias.connector === name && alias.urlPrefix !== undefined),
  )
  if (prefixes.length > 0) {
    const known = prefixes.map(({ urlPrefix }) => urlPrefix).join(', ')
    return new TidegateError(`'connector' = '${name}' goes by the url, and this url starts with none of ${known}`, {
      code: 'CONNECTOR_UNKNOWN',
    })
  }
  const names = loaded.map((connector) => connector.name)
  const near = didYouMean(name, names)
  return new TidegateError(`there is no connector '${name}'`, {
    code: 'CONNECTOR_UNKNOWN',
    hint: near === undefined ? `known are ${names.join(', ')}` : `did you mean '${near}'?`,
  })
}
