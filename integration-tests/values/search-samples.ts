import { parseExact } from '../../src/row/exact-json.ts'
import { askSearch } from '../services/search/search-server.ts'
import { type TypeSample, typeSamples } from './type-samples.ts'

/** What a document has to hold of a value, as text where it is a number. */
export function searchSample({ type }: TypeSample, [json, text]: readonly [json: string, text: string]): unknown {
  const [, name] = /^(\w+)/.exec(type) ?? []
  switch (name) {
    case 'BINARY':
    case 'BYTES':
      return JSON.parse(json)
    case 'FLOAT':
      return String(Math.fround(Number(text)))
    case 'DOUBLE':
      return String(Number(text))
    case 'ARRAY':
    case 'ROW':
    case 'MAP':
      return asText(parseExact(json))
    case 'JSON':
      return JSON.stringify(JSON.parse(text))
    default:
      return text
  }
}

/** The documents of the index `samples` past the connector, each field as `searchSample` gives it. */
export async function readSearchSamples(url: string): Promise<readonly (readonly unknown[])[]> {
  await askSearch(url, 'POST', '/samples/_refresh')
  const text = await askSearch(url, 'POST', '/samples/_search', { size: 100, sort: 'id' })
  const { hits } = parseExact(text) as { hits: { hits: { _source: Readonly<Record<string, unknown>> }[] } }
  return hits.hits.map(({ _source: source }) => [
    source['id'],
    ...typeSamples.map(({ type }, at) => found(type, source[`c${at}`])),
  ])
}

function found(type: string, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (/^(ARRAY|MAP|ROW)/.test(type)) return asText(value)
  const text = String(value)
  if (type === 'FLOAT') return String(Math.fround(Number(text)))
  if (type === 'JSON') return JSON.stringify(JSON.parse(text))
  // all digits of a second are there, zeros too
  if (type.startsWith('TIME')) return text.replace('T', ' ').replace(/Z$/, '+00').replace('.000000', '')
  return text
}

/** Integers that no number holds are compared digit by digit. */
function asText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' || typeof member === 'number' ? String(member) : member,
  )
}
