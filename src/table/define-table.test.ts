import { describe, expect, test } from 'vitest'
import { parseScript } from '../ddl/parse-script.ts'
import { TidegateError } from '../errors.ts'
import { oneOf, text } from '../options/option.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { sharedOptions } from '../options/shared-options.ts'
import { defineTable } from './define-table.ts'

const store = {
  name: 'store',
  options: {
    url: text({ description: 'Where the store is.', required: true }),
    tls: oneOf(['off', 'on'], { description: 'Encryption.', default: 'on' }),
  },
}

test('a table as an object is the table that the same DDL declares', () => {
  const defined = defineTable(
    {
      name: 'db.orders',
      columns: {
        order_id: 'BIGINT',
        amount: 'DECIMAL(12,2) NOT NULL',
        tags: 'ARRAY<STRING>',
        at: 'TIMESTAMP(3) WITH LOCAL TIME ZONE',
      },
      primaryKey: ['order_id'],
      partitionedBy: ['at'],
      comment: 'orders',
      onConflict: 'nothing',
      with: {
        url: 'x://h',
        'sink.buffer-flush.interval': '2s',
        'sink.parallelism': 2,
        'ignore-delete': true,
        'fields.at.sequence-group': ['amount', 'tags'],
        'sink.id': undefined,
      },
    },
    store,
  )
  const [declared] = parseScript(`
    CREATE TABLE db.orders (
      order_id BIGINT, amount DECIMAL(12,2) NOT NULL, tags ARRAY<STRING>, at TIMESTAMP(3) WITH LOCAL TIME ZONE,
      PRIMARY KEY (order_id) NOT ENFORCED
    ) COMMENT 'orders' PARTITIONED BY (at) WITH (
      'connector' = 'store', 'url' = 'x://h', 'sink.buffer-flush.interval' = '2s', 'sink.parallelism' = '2',
      'ignore-delete' = 'true', 'fields.at.sequence-group' = 'amount,tags'
    );
    INSERT INTO db.orders SELECT * FROM s ON CONFLICT DO NOTHING`).tables
  // vitest holds an absent member and an undefined one equal
  expect(defined).toEqual(declared)
})

test('numbers, booleans and lists are read like the text of a DDL', () => {
  const { options } = defineTable({
    name: 't',
    columns: { a: 'INT', b: 'INT' },
    with: {
      connector: 'store',
      'sink.buffer-flush.max-bytes': 0,
      'sink.ignore.update-before': false,
      'sequence.field': ['a', 'b'],
    },
  })
  expect(resolveOptions(sharedOptions, options).values).toMatchObject({
    'sink.buffer-flush.max-bytes': 0,
    'sink.ignore.update-before': 'false',
    'sequence.field': ['a', 'b'],
  })
})

describe('what is wrong is refused', () => {
  test('all of it at once, with the column', () => {
    const wrong = () =>
      defineTable({
        name: 'orders',
        columns: { a: 'ARRAY<BIGNIT>', b: 'DECIMAL(50, 2)', c: 'ROW<x>' } as unknown as Record<string, 'INT'>,
        primaryKey: ['a', 'd'],
        with: { connector: 'store', 'sequence.field': ['a,b'] },
      })
    expect(wrong).toThrow(TidegateError)
    expect(wrong).toThrow(`the table orders cannot be used:
  - column a: the type 'ARRAY<BIGNIT>': "BIGNIT" is no type of Flink SQL
      BIGNIT: did you mean BIGINT?
  - column b: the type 'DECIMAL(50, 2)': the precision of DECIMAL must be 1 to 38
  - column c: the type 'ROW<x>': expected a type
  - sequence.field: a member of the list has a comma in it
  - d: is in the PRIMARY KEY but is no column of the table`)
  })

  test('a key of columns that are not there', () => {
    const columns: Record<string, 'INT'> = { a: 'INT' }
    expect(() => defineTable({ name: 't', columns, primaryKey: ['b'], with: { connector: 'x' } })).toThrow(
      'b: is in the PRIMARY KEY but is no column of the table',
    )
    expect(() => defineTable({ name: 't', columns, partitionedBy: ['b'], with: { connector: 'x' } })).toThrow(
      'b: is in partitionedBy but is no column of the table',
    )
  })
})
