import { describe, expect, test } from 'vitest'
import { TidegateError } from '../errors.ts'
import { duration, flag, integer, list, memorySize, oneOf, orWord, text } from './option.ts'
import type { OptionTable } from './option-table.ts'
import type { ReferenceSource } from './references.ts'
import { type ResolveContext, type ResolvedOptions, resolveOptions } from './resolve-options.ts'
import { sharedOptions } from './shared-options.ts'

const table = {
  url: text({ description: 'Where the store is.', required: true, aliases: ['uri'] }),
  password: text({ description: 'Of the user.', secret: true }),
  interval: duration({ description: 'A duration.', default: '1s', aliases: ['interval-ms'] }),
  retention: orWord('forever', duration({ description: 'A duration, or for ever.' })),
  size: memorySize({ description: 'A size.', default: '8mb' }),
  rows: integer({ description: 'A number.', default: 100, min: 1, max: 1000, aliases: ['batch.size', 'batch-size'] }),
  keep: flag({
    description: 'Yes or no.',
    default: true,
    aliases: [{ name: 'drop', values: { true: 'false', false: 'true' } }],
  }),
  mode: oneOf(['fast', 'very-safe'], { description: 'A word.', default: 'fast', synonyms: { none: 'fast' } }),
  columns: list({ description: 'Names.' }),
  'fields.*.distinct': flag({ description: 'A family.' }),
  'fields.*.group': list({ description: 'Another family.' }),
} satisfies OptionTable

const url = 'x://h'

function resolve(given: Record<string, string>, context?: ResolveContext): ResolvedOptions<typeof table> {
  return resolveOptions(table, { url, ...given }, context)
}

/** Subject, message and fix of each problem. */
function problemsOf(given: Record<string, string>, context?: ResolveContext): (string | undefined)[][] {
  return errorOf(given, context).problems.map(({ subject, message, fix }) => [subject, message, fix])
}

function errorOf(given: Record<string, string>, context?: ResolveContext): TidegateError {
  try {
    resolveOptions(table, given, context)
  } catch (error) {
    if (error instanceof TidegateError) return error
    throw error
  }
  throw new Error('was accepted')
}

describe('values', () => {
  test('are typed: milliseconds, bytes, numbers, booleans, lists', () => {
    const { values } = resolve({
      interval: '2 min',
      size: '1 kb',
      rows: ' 7 ',
      keep: 'FALSE',
      mode: 'VERY_SAFE',
      columns: ' a , b.c,d',
      retention: 'Forever',
    })
    expect(values).toMatchObject({
      url,
      interval: 120_000,
      size: 1024,
      rows: 7,
      keep: false,
      mode: 'very-safe',
      columns: ['a', 'b.c', 'd'],
      retention: 'forever',
      password: undefined,
    })
  })

  test('are the defaults where nothing is given', () => {
    const { values } = resolve({})
    expect(values).toMatchObject({ interval: 1000, size: 8_388_608, rows: 100, keep: true, mode: 'fast' })
    expect(values.retention).toBeUndefined()
    expect(values['fields.*.distinct']).toEqual(new Map())
  })

  test('of a family are a map from what the star stands for', () => {
    const { values } = resolve({
      'fields.a.distinct': 'true',
      'fields.b.c.distinct': 'false',
      'fields.x,y.group': 'a,b',
    })
    expect(values['fields.*.distinct']).toEqual(
      new Map([
        ['a', true],
        ['b.c', false],
      ]),
    )
    expect(values['fields.*.group']).toEqual(new Map([['x,y', ['a', 'b']]]))
  })

  test('cannot be changed', () => {
    const { values } = resolve({ columns: 'a' })
    expect(Object.isFrozen(values)).toBe(true)
    expect(Object.isFrozen(values.columns)).toBe(true)
  })

  test('0 switches off', () => {
    const { values } = resolve({ interval: '0', size: '0' })
    expect(values).toMatchObject({ interval: 0, size: 0 })
  })
})

describe('names of other sinks', () => {
  test('are read as ours and noted', () => {
    const { values, notes, effective } = resolve({ 'batch.size': '7', 'interval-ms': '250' })
    expect(values).toMatchObject({ rows: 7, interval: 250 })
    expect(notes).toEqual(['option batch.size is read as rows', 'option interval-ms is read as interval'])
    expect(effective).toContainEqual({ name: 'rows', value: '7', given: true })
  })

  test('have their values translated', () => {
    const { values, effective } = resolve({ drop: 'TRUE' })
    expect(values.keep).toBe(false)
    expect(effective).toContainEqual({ name: 'keep', value: 'false', given: true })
    expect(resolve({ mode: 'NONE' }).values.mode).toBe('fast')
  })

  test('are refused with a value that has no counterpart', () => {
    expect(problemsOf({ url, drop: 'maybe' })).toEqual([
      [
        'drop',
        "'maybe' has no counterpart here (drop is another sink's name for keep)",
        'known values are true, false; or use keep: boolean',
      ],
    ])
  })

  test('may repeat ours, if both say the same', () => {
    expect(resolve({ rows: '7', 'batch.size': '7' }).values.rows).toBe(7)
    expect(resolve({ keep: 'false', drop: 'true' }).values.keep).toBe(false)
    expect(problemsOf({ url, rows: '7', 'batch-size': '8' })).toEqual([
      ['batch-size', 'is the same option as rows, with another value', 'keep one of them, best under the name rows'],
    ])
  })

  test('count as given where the option is required', () => {
    expect(resolveOptions(table, { uri: 'x://h' }).values.url).toBe('x://h')
  })
})

describe('what is wrong', () => {
  test('comes in one error, each with its fix', () => {
    const error = errorOf(
      {
        urll: 'x://h',
        interval: '10 m',
        size: '2MiB',
        rows: '0',
        keep: 'yes',
        mode: 'fats',
        columns: 'a,,b',
        retention: 'never',
        'fields.a.distnict': 'true',
        'fields.a.distinct': 'maybe',
      },
      { table: 'orders', connector: 'store' },
    )
    expect(error).toMatchObject({ code: 'OPTION_INVALID', table: 'orders', connector: 'store' })
    expect(error.message).toBe(`the options of table orders cannot be used:
  - urll: is no option of connector store
      did you mean url?
  - interval: '10 m' is not a duration such as 500 ms, 2s or 1 min
      m is no unit of time here: minutes is min, milliseconds is ms
  - size: '2MiB' is not a memory size such as 8mb or 512 kb
      write mb, which is 1024 kb
  - rows: '0' is below 1
  - keep: 'yes' is neither true nor false
  - mode: 'fats' is not one of fast, very-safe
      did you mean fast?
  - columns: 'a,,b' has an empty member
  - retention: 'never' is not a duration such as 500 ms, 2s or 1 min
      write a whole number and a unit; the units are d, h, min, s, ms, µs or ns; or write forever
  - fields.a.distnict: is no option of connector store
      did you mean fields.a.distinct?
  - fields.a.distinct: 'maybe' is neither true nor false
  - url: is missing
      Where the store is. (text)`)
  })

  test.each([
    ['rows', '1.5', "'1.5' is not a whole number"],
    ['rows', '1001', "'1001' is above 1000"],
    ['rows', '', "'' is not a whole number"],
    ['rows', '99999999999999999999', "'99999999999999999999' is above 1000"],
    ['columns', 'a,b,a', "'a,b,a' names something twice"],
    ['mode', 'constructor', "'constructor' is not one of fast, very-safe"],
    ['url', '', "'' is empty"],
  ])('%s = %j', (name, value, message) => {
    expect(problemsOf({ url, [name]: value })[0]?.slice(0, 2)).toEqual([name, message])
  })

  test('a required option that is wrong is not called missing', () => {
    expect(problemsOf({ uri: '' })).toEqual([['uri', "'' is empty (for url)", undefined]])
  })

  test('a family needs something in the place of its star', () => {
    expect(problemsOf({ url, 'fields..distinct': 'true' })).toEqual([
      ['fields..distinct', 'is no option', 'did you mean fields.*.distinct?'],
    ])
  })

  test('an unknown name near to an alias leads to our name', () => {
    expect(problemsOf({ url, 'batch.sise': '7' })).toEqual([['batch.sise', 'is no option', 'did you mean rows?']])
  })

  test('an unknown name near to nothing leads to the list', () => {
    expect(problemsOf({ url, zzz: '7', __proto__x: '' })).toEqual([
      ['zzz', 'is no option', 'docs/options.md lists the options'],
      ['__proto__x', 'is no option', 'docs/options.md lists the options'],
    ])
    expect(problemsOf({ url, constructor: 'x' }).map(([name]) => name)).toEqual(['constructor'])
  })
})

describe('C2 secrets', () => {
  const references: ReferenceSource = {
    env: { PASSWORD: 'hunter2', URL: 'x://ada:hunter2@h', ROWS: 'hunter2' },
    readFile: () => 'hunter2',
  }
  const env = (name: string) => `\${env:${name}}`

  test('reach the connector, and nothing that is printed', () => {
    const { values, effective, notes } = resolve(
      { url: 'x://ada:hunter2@h/db', password: env('PASSWORD') },
      { references },
    )
    expect(values).toMatchObject({ url: 'x://ada:hunter2@h/db', password: 'hunter2' })
    expect(effective.filter(({ given }) => given)).toEqual([
      { name: 'url', value: 'x://******@h/db', given: true },
      { name: 'password', value: env('PASSWORD'), given: true },
    ])
    expect(JSON.stringify([effective, notes])).not.toContain('hunter2')
    expect(resolve({ password: 'hunter2' }).effective).toContainEqual({
      name: 'password',
      value: '******',
      given: true,
    })
  })

  test('are not in a problem with the value that holds them', () => {
    expect(problemsOf({ url, rows: env('ROWS') }, { references })).toEqual([
      ['rows', `'${env('ROWS')}' is not a whole number`, undefined],
    ])
    const broken = problemsOf({ url: 'hunter2', secret: 'hunter2', rows: 'x://ada:hunter2@h' }, { references })
    expect(JSON.stringify(broken)).not.toContain('hunter2')
  })

  test('a reference to nothing is a problem of its option', () => {
    expect(problemsOf({ url: env('NOPE') }, { references })).toEqual([
      ['url', `${env('NOPE')}: the variable is not set`, undefined],
    ])
  })
})

describe('what concerns Flink alone', () => {
  test('is noted, not refused', () => {
    const { notes } = resolve({
      'scan.fetch-size': '100',
      'lookup.cache': 'PARTIAL',
      driver: 'org.postgresql.Driver',
      'connection.max-retry-timeout': '60s',
      'value.format': 'json',
      format: 'avro',
    })
    expect(notes).toEqual([
      'option scan.fetch-size is not used here: it concerns reading the table',
      'option lookup.cache is not used here: it concerns reading the table',
      'option driver is not used here: it concerns the Java driver',
      'option connection.max-retry-timeout is not used here: the connection is checked by using it',
      'option value.format is not used here: it concerns a message topic',
      'option format is not used here: rows are written by column, not as encoded messages',
    ])
  })

  test('is ours where the table has an option of that name', () => {
    const own = { driver: text({ description: 'Ours.' }) }
    expect(resolveOptions(own, { driver: 'x' })).toMatchObject({ values: { driver: 'x' }, notes: [] })
  })

  test('a format is ours or the encoding of Flink, by its value', () => {
    expect(resolveOptions(sharedOptions, { connector: 'x', format: 'JSON' }).values.format).toBe('json')
    const encoded = resolveOptions(sharedOptions, { connector: 'x', format: 'csv', 'csv.field-delimiter': ';' })
    expect(encoded.values.format).toBeUndefined()
    expect(encoded.notes).toHaveLength(2)
    expect(() => resolveOptions(sharedOptions, { connector: 'x', format: 'debezium' })).toThrow('is not one of')
    const fixed = { format: oneOf(['debezium-json'], { description: 'Of the input.' }) }
    expect(resolveOptions(fixed, { format: 'raw' }).notes).toHaveLength(1)
  })
})

describe('SET lines', () => {
  const shared = (settings: Record<string, string>, given: Record<string, string> = {}) =>
    resolveOptions(sharedOptions, { connector: 'x', ...given }, { settings })

  test('that change a changelog are options, in the words of Flink', () => {
    const { values, notes, effective } = shared({
      'table.exec.sink.not-null-enforcer': 'DROP',
      'table.exec.sink.type-length-enforcer': 'TRIM_PAD',
      'table.exec.sink.upsert-materialize': 'NONE',
      'table.exec.state.ttl': '1 h',
    })
    expect(values).toMatchObject({
      'sink.not-null-enforcer': 'drop',
      'sink.type-length-enforcer': 'trim_pad',
      'sink.upsert-materialize': 'none',
      'state.ttl': 3_600_000,
    })
    expect(notes).toContain('SET table.exec.state.ttl is read as the option state.ttl')
    expect(effective).toContainEqual({ name: 'state.ttl', value: '1 h', given: true })
  })

  test('that belong to operators are named as such', () => {
    const names = [
      'table.exec.mini-batch.enabled',
      'table.exec.mini-batch.allow-latency',
      'table.optimizer.agg-phase-strategy',
      'table.optimizer.distinct-agg.split.enabled',
    ]
    const { notes } = shared(Object.fromEntries(names.map((name) => [name, 'x'])))
    expect(notes).toEqual(
      names.map(
        (name) =>
          `SET ${name} is not used here: it belongs to the operators in front of the sink (aggregation, join, rank), which come in a later version`,
      ),
    )
  })

  test('that nobody knows are noted too: none is ignored in silence', () => {
    expect(shared({ 'pipeline.name': 'x', __proto__x: 'y' }).notes).toEqual([
      'SET pipeline.name is not used here: it concerns how Flink runs a job',
      'SET __proto__x is not used here: it concerns how Flink runs a job',
    ])
  })

  test('give way to the table', () => {
    const { values, notes } = shared({ 'table.exec.state.ttl': '1 h' }, { 'state.ttl': '2 h' })
    expect(values['state.ttl']).toBe(7_200_000)
    expect(notes).toEqual(['SET table.exec.state.ttl is not used here: the table has state.ttl'])
  })

  test('with a value that cannot be read are a problem', () => {
    expect(() => shared({ 'table.exec.state.ttl': '1 m' })).toThrow(
      "SET table.exec.state.ttl: '1 m' is not a duration such as 500 ms, 2s or 1 min (for state.ttl)",
    )
  })
})
