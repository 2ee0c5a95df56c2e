import { duration, flag, integer, list, memorySize, oneOf, text } from '../options/option.ts'
import { defineTable } from './define-table.ts'

/** Compiled by tsc, never run: each `@ts-expect-error` is a mistake that an editor must show. */

const connector = {
  name: 'store',
  options: {
    url: text({ description: 'Where the store is.', required: true }),
    'table-name': text({ description: 'The table.' }),
    'connect-timeout': duration({ description: 'How long to wait.', default: '10s' }),
    'read-buffer': memorySize({ description: 'Bytes.', default: '64kb' }),
    pool: integer({ description: 'Connections.', default: 4 }),
    compress: flag({ description: 'On the wire.', default: false }),
    tls: oneOf(['off', 'on'], { description: 'Encryption.', default: 'on' }),
    hosts: list({ description: 'Servers.' }),
  },
}

const columns = { id: 'BIGINT', amount: 'DECIMAL(12, 2) NOT NULL', tags: 'ARRAY<STRING>' } as const
const url = 'store://host'

defineTable({ name: 'orders', columns, primaryKey: ['id'], with: { url } }, connector)
defineTable(
  {
    name: 'db.orders',
    columns: {
      id: 'BIGINT',
      at: 'TIMESTAMP(3) WITH LOCAL TIME ZONE',
      name: 'VARCHAR(20) NOT NULL',
      d: 'DECIMAL(12,2)',
    },
    primaryKey: ['id'],
    with: {
      url,
      'connect-timeout': '500 ms',
      'read-buffer': '1mb',
      pool: 8,
      compress: true,
      tls: 'off',
      hosts: ['a', 'b'],
      'sink.buffer-flush.interval': '2s',
      'sink.buffer-flush.max-bytes': 0,
      'sink.ignore.update-before': true,
      'sink.tombstone.retention': 'forever',
      'sink.upsert-key': 'none',
      'sequence.field': ['d', 'at'],
      'fields.at.sequence-group': 'name',
      'fields.d.aggregate-function': 'sum',
      'fields.d.ignore-retract': true,
      'debezium-json.schema-include': 'true',
      'sink.id': undefined,
    },
  },
  connector,
)

// @ts-expect-error: the url is required
defineTable({ name: 't', columns, with: {} }, connector)
// @ts-expect-error: misspelt option of the connector
defineTable({ name: 't', columns, with: { url, 'table-nam': 'orders' } }, connector)
// @ts-expect-error: misspelt shared option
defineTable({ name: 't', columns, with: { url, 'sink.max-retry': 3 } }, connector)
// @ts-expect-error: misspelt family
defineTable({ name: 't', columns, with: { url, 'fields.a.sequence-gruop': 'b' } }, connector)
// @ts-expect-error: m is not minutes
defineTable({ name: 't', columns, with: { url, 'sink.buffer-flush.interval': '10 m' } }, connector)
// @ts-expect-error: no fractions
defineTable({ name: 't', columns, with: { url, 'connect-timeout': '1.5s' } }, connector)
// @ts-expect-error: a duration has a unit
defineTable({ name: 't', columns, with: { url, 'connect-timeout': 1000 } }, connector)
// @ts-expect-error: a size in a unit of time
defineTable({ name: 't', columns, with: { url, 'sink.buffer-flush.max-bytes': '8 min' } }, connector)
// @ts-expect-error: no such merge engine
defineTable({ name: 't', columns, with: { url, 'merge-engine': 'dedupe' } }, connector)
// @ts-expect-error: no such aggregate function
defineTable({ name: 't', columns, with: { url, 'fields.a.aggregate-function': 'avg' } }, connector)
// @ts-expect-error: not a number
defineTable({ name: 't', columns, with: { url, pool: 'many' } }, connector)
// @ts-expect-error: aliases of other sinks are for DDL; here the canonical name is asked for
defineTable({ name: 't', columns, with: { url, 'batch.size': 100 } }, connector)
// @ts-expect-error: no such type
defineTable({ name: 't', columns: { id: 'BIGNIT' }, with: { url } }, connector)
// @ts-expect-error: not a column
defineTable({ name: 't', columns, primaryKey: ['idd'], with: { url } }, connector)

defineTable({ name: 't', columns, with: { connector: 'store', url, 'merge-engine': 'first-row' } })
// @ts-expect-error: without the connector's table the shared options are still checked
defineTable({ name: 't', columns, with: { connector: 'store', url, 'sink.buffer-flush.interval': '10 m' } })
// @ts-expect-error: somebody has to name the connector
defineTable({ name: 't', columns, with: { url } })
