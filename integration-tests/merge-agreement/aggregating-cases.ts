import type { AgreementCase } from './agreement-cases.ts'

const engine = { engine: 'aggregating' }

/** What an AggregatingMergeTree keeps. */
export const aggregatingCases: readonly AgreementCase[] = [
  {
    title: 'sequence groups',
    columns: 'a STRING, b INT, g INT, c DECIMAL(6, 2), h BIGINT, k TIMESTAMP(3), free STRING',
    options: {
      ...engine,
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a,b',
      'fields.h,k.sequence-group': 'c',
    },
  },
  {
    title: 'partial-update',
    columns: 'a STRING, b INT',
    options: { ...engine, 'merge-engine': 'partial-update' },
  },
  {
    title: 'partial-update, nulls overwrite',
    columns: 'a STRING, b INT',
    options: { ...engine, 'merge-engine': 'partial-update', 'partial-update.null-overwrites': 'true' },
  },
  {
    title: 'sequence group with aggregates',
    columns: 'g INT, a STRING, su BIGINT, mx INT, ba BOOLEAN',
    options: {
      ...engine,
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a,su,mx,ba',
      'fields.su.aggregate-function': 'sum',
      'fields.mx.aggregate-function': 'max',
      'fields.mx.ignore-retract': 'true',
      'fields.ba.aggregate-function': 'bool_and',
      'fields.ba.ignore-retract': 'true',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'sums',
    columns: 'su INT, de DECIMAL(6, 2), bi BIGINT',
    options: {
      ...engine,
      'merge-engine': 'aggregation',
      'fields.default-aggregate-function': 'sum',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'functions that take no retract',
    columns: 'mx STRING, mn DECIMAL(6, 2), fv STRING, fn INT, lv STRING, ln DATE, ba BOOLEAN, bo BOOLEAN',
    options: {
      ...engine,
      'merge-engine': 'aggregation',
      'fields.mx.aggregate-function': 'max',
      'fields.mn.aggregate-function': 'min',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fn.aggregate-function': 'first_non_null_value',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'fields.ba.aggregate-function': 'bool_and',
      'fields.bo.aggregate-function': 'bool_or',
    },
  },
]
