import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Problem } from '../errors.ts'
import { formatNames } from '../options/shared-options.ts'
import { detectFormat, findFormat, formats } from './registry.ts'

test('the option format takes exactly the formats that there are', () => {
  expect(new Set(formats.map(({ name }) => name))).toEqual(new Set(formatNames))
})

test('a name that no format has is refused with the nearest one', () => {
  expect(findFormat('Canal-JSON').name).toBe('canal-json')
  expect(() => findFormat('debezium')).toThrow('formats are changelog-json, debezium-json')
  expect(() => findFormat('cannal-json')).toThrow('did you mean canal-json?')
})

test('records that no format knows are refused, naming their members and never their values', () => {
  const detect = () => detectFormat([{ value: '{"id":1,"name":"secret"}' }])
  expect(detect).toThrow('is not recognised: its records have the members id, name; name it with')
  expect(detect).not.toThrow('secret')
  expect(() => detectFormat([])).toThrow('there is no record')
  expect(() => detectFormat([{ value: 'secret' }])).toThrow('none of its first 1 records is JSON')
  expect(() => detectFormat([{ value: '[1]' }])).toThrow('are no JSON objects')
})

test('keyed rows are recognised as upserts only where nothing speaks for another format', () => {
  const row = { topic: 't', partition: 0, offset: 0, key: { id: 1 } }
  expect(detectFormat([{ value: { ...row, value: { id: 1 } } }]).name).toBe('upsert-kafka')
  expect(detectFormat([{ value: { ...row, value: { id: 1, __op: 'c' } } }]).name).toBe('debezium-unwrapped')
  expect(detectFormat([{ value: { ...row, value: { op: 'c', after: {} } } }]).name).toBe('debezium-json')
})

test.each(formats.map((format) => [format.name, format] as const))(
  '%s: each of its options is documented',
  (_, format) => {
    const problems: Problem[] = []
    format.createDecoder({ options: { 'no-such-option-at-all': '' } }, problems)
    const [problem] = problems
    const options = problem?.fix?.replace('it has ', '').split(', ') ?? []
    const page = readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8')
    expect(options).not.toEqual([])
    expect(options.filter((option) => option !== 'none' && !page.includes(`\`${option}\``))).toEqual([])
  },
)
