import type { AggregateFunction } from '../../merge/merge-plan.ts'
import type { MergeCase } from './merge-case.ts'
import { aggregate, partialUpdate, retraction, upserts } from './need.ts'

/** The aggregate functions one by one, in order of arrival (rules A1, A2, A4). */
export const aggregateCases: readonly MergeCase[] = [
  one(
    'sum',
    'INT',
    '+I 1 null | +I 1 4 | +I 1 null | +I 1 -9 | +I 2 null',
    ['1 -5', '2 null'],
    'sum adds, null is neutral',
  ),
  one('sum', 'BIGINT', '+I 1 9007199254740993 | +I 1 2', ['1 9007199254740995'], 'sum is exact beyond 2^53'),
  one(
    'sum',
    'DECIMAL(12, 2)',
    '+I 1 0.10 | +I 1 0.20 | +I 1 9999999999.69',
    ['1 9999999999.99'],
    'sum of DECIMAL is exact',
  ),
  one('sum', 'DOUBLE', '+I 1 0.1 | +I 1 0.2 | +I 1 0.3', ['1 0.6'], 'sum of DOUBLE, within a tolerance'),
  taken(
    'sum',
    'INT',
    '+I 1 10 | +I 1 5 | -U 1 10 | +U 1 20 | -D 1 5 | -D 1 null',
    ['1 20'],
    'sum takes back what was added',
  ),
  taken('sum', 'DECIMAL(10, 2)', '+I 1 1.00 | -U 1 1.00 | +U 1 3.00', ['1 3.00'], 'sum of DECIMAL takes back'),
  overflow('INT', '+I 1 2147483647 | +I 1 1 | +I 2 5', ['1 2147483647', '2 5']),
  overflow('BIGINT', '+I 1 9223372036854775807 | +I 1 1 | +I 2 5', ['1 9223372036854775807', '2 5']),
  overflow('DECIMAL(4, 2)', '+I 1 99.99 | +I 1 0.01 | +I 2 5.00', ['1 99.99', '2 5.00']),
  one('product', 'INT', '+I 1 null | +I 1 3 | +I 1 4 | +I 1 null', ['1 12'], 'product multiplies, null is neutral'),
  one('product', 'DECIMAL(10, 2)', '+I 1 1.05 | +I 1 1.05', ['1 1.10'], 'product rounds to the scale of its column'),
  taken('product', 'INT', '+I 1 3 | +I 1 4 | -U 1 3 | +U 1 5', ['1 20'], 'product takes a factor back'),
  one(
    'max',
    'INT',
    '+I 1 null | +I 1 2 | +I 1 9 | +I 1 5 | +I 1 null',
    ['1 9'],
    'max keeps the largest, null is neutral',
  ),
  one(
    'max',
    'BIGINT',
    '+I 1 9007199254740993 | +I 1 9007199254740992',
    ['1 9007199254740993'],
    'max is exact beyond 2^53',
  ),
  one('max', 'DECIMAL(10, 2)', '+I 1 9.90 | +I 1 10.05 | +I 1 -11.00', ['1 10.05'], 'max of DECIMAL compares by value'),
  one('max', 'STRING', '+I 1 Z | +I 1 a | +I 1 _', ['1 a'], 'max of text compares by code point'),
  one('max', 'DATE', '+I 1 2020-01-02 | +I 1 2022-01-01 | +I 1 2021-12-31', ['1 2022-01-01'], 'max of DATE'),
  one(
    'max',
    'TIMESTAMP(6)',
    '+I 1 2021-01-01T01:01:01.000001 | +I 1 2021-01-01T01:01:01.000000',
    ['1 2021-01-01T01:01:01.000001'],
    'max of TIMESTAMP',
  ),
  one('min', 'INT', '+I 1 null | +I 1 2 | +I 1 -9 | +I 1 5', ['1 -9'], 'min keeps the smallest, null is neutral'),
  one('min', 'DOUBLE', '+I 1 1.5 | +I 1 -1.5', ['1 -1.5'], 'min of DOUBLE'),
  refused('max', 'INT', '+I 1 5 | -U 1 5 | +U 1 3', ['1 5']),
  refused('min', 'INT', '+I 1 5 | -U 1 5 | +U 1 7', ['1 5']),
  refused('bool_and', 'BOOLEAN', '+I 1 true | -D 1 true', ['1 true']),
  refused('bool_or', 'BOOLEAN', '+I 1 true | -D 1 true', ['1 true']),
  refused('first_value', 'INT', '+I 1 5 | -D 1 5', ['1 5']),
  refused('first_non_null_value', 'INT', '+I 1 5 | -D 1 5', ['1 5']),
  refused('listagg', 'STRING', '+I 1 a | -D 1 a', ['1 a']),
  ignoring('max', 'INT', '+I 1 5 | -U 1 5 | +U 1 3 | -D 1 3', ['1 5']),
  ignoring('sum', 'INT', '+I 1 5 | -U 1 5 | +U 1 3', ['1 8']),
  one('last_value', 'INT', '+I 1 3 | +I 1 null | +I 2 null | +I 2 4', ['1 null', '2 4'], 'last_value takes null too'),
  taken(
    'last_value',
    'INT',
    '+I 1 3 | -U 1 3 | +U 1 4 | +I 2 5 | -D 2 5',
    ['1 4', '2 null'],
    'last_value is cleared by a retraction',
  ),
  one(
    'last_non_null_value',
    'INT',
    '+I 1 3 | +I 1 null | +I 1 4 | +I 1 null',
    ['1 4'],
    'last_non_null_value passes over null',
  ),
  taken(
    'last_non_null_value',
    'INT',
    '+I 1 3 | -D 1 9 | +I 2 3 | -U 2 null',
    ['1 null', '2 3'],
    'last_non_null_value is cleared by a retraction that is not null',
  ),
  one(
    'first_value',
    'INT',
    '+I 1 null | +I 1 3 | +I 2 4 | +I 2 5',
    ['1 null', '2 4'],
    'first_value keeps a null that came first',
  ),
  one('first_non_null_value', 'INT', '+I 1 null | +I 1 3 | +I 1 4', ['1 3'], 'first_non_null_value waits for a value'),
  one(
    'bool_and',
    'BOOLEAN',
    '+I 1 null | +I 1 true | +I 1 false | +I 1 true | +I 2 true | +I 2 null',
    ['1 false', '2 true'],
    'bool_and',
  ),
  one(
    'bool_or',
    'BOOLEAN',
    '+I 1 null | +I 1 false | +I 1 true | +I 1 false | +I 2 false | +I 2 null',
    ['1 true', '2 false'],
    'bool_or',
  ),
  one(
    'listagg',
    'STRING',
    "+I 1 a | +I 1 null | +I 1 b | +I 1 a | +I 1 ''",
    ['1 a,b,a'],
    'listagg appends what is not blank',
  ),
  {
    ...one(
      'listagg',
      'STRING',
      '+I 1 a | +I 1 b | +I 1 a | +I 1 c',
      ['1 a;b;c'],
      'listagg with a delimiter, each entry once',
    ),
    options: { ...optionsOf('listagg'), 'fields.v.list-agg-delimiter': ';', 'fields.v.distinct': 'true' },
  },
  one('collect', 'ARRAY<STRING>', '+I 1 [a,b] | +I 1 null | +I 1 [b,c]', ['1 [a,b,b,c]'], 'collect keeps a bag'),
  {
    ...one('collect', 'ARRAY<INT>', '+I 1 [1,2] | +I 1 [2,3]', ['1 [1,2,3]'], 'collect keeps a set'),
    options: { ...optionsOf('collect'), 'fields.v.distinct': 'true' },
  },
  taken(
    'collect',
    'ARRAY<INT>',
    '+I 1 [1,2,2,3] | -D 1 [2,9] | +I 2 [1] | -D 2 [1]',
    ['1 [1,2,3]', '2 []'],
    'collect takes one element out for each that is retracted',
  ),
  {
    id: 'several-functions',
    title: 'A1 each column goes by its own function, and by the default one',
    needs: [upserts, aggregate('sum'), aggregate('max'), aggregate('first_non_null_value')],
    columns: 'id INT, a INT, b INT, c INT, d INT, PRIMARY KEY (id) NOT ENFORCED',
    options: {
      'merge-engine': 'aggregation',
      'sink.accept-duplicates': 'true',
      'fields.default-aggregate-function': 'first_non_null_value',
      'fields.b.aggregate-function': 'sum',
      'fields.d.aggregate-function': 'max',
    },
    changelog: '+I 1 null 1 1 1 | +I 1 2 null 2 5 | +I 1 3 3 null 3',
    rows: ['1 2 4 1 5'],
  },
  {
    id: 'absent-contributes-nothing',
    title: 'A1 a column that a record does not mention is not touched by it',
    needs: [upserts, partialUpdate, aggregate('sum'), aggregate('last_value')],
    columns: 'id INT, a INT, b INT, PRIMARY KEY (id) NOT ENFORCED',
    options: {
      'merge-engine': 'aggregation',
      'sink.accept-duplicates': 'true',
      'fields.a.aggregate-function': 'sum',
      'fields.b.aggregate-function': 'last_value',
    },
    changelog: '+I 1 1 5 | +I 1 2 | +I 1 ~ 7 | +I 2 ~ 1',
    rows: ['1 3 7', '2 null 1'],
  },
  {
    id: 'retract-first',
    title: 'A4 a key that only retractions have touched keeps its state and is not visible',
    needs: [upserts, aggregate('sum'), retraction('sum')],
    columns: 'id INT, v INT, PRIMARY KEY (id) NOT ENFORCED',
    options: optionsOf('sum'),
    changelog: '-U 1 5 | +U 1 10 | -D 2 7',
    rows: ['1 5'],
  },
  {
    id: 'all-taken-back',
    title: 'A4 a key from which everything is taken back stays visible',
    needs: [upserts, aggregate('sum'), retraction('sum')],
    columns: 'id INT, v INT, PRIMARY KEY (id) NOT ENFORCED',
    options: optionsOf('sum'),
    changelog: '+I 1 5 | -D 1 5',
    rows: ['1 0'],
  },
  {
    id: 'aggregation-remove-record',
    title: 'A4 aggregation.remove-record-on-delete removes the row and what it held',
    needs: [upserts, aggregate('sum'), retraction('sum')],
    columns: 'id INT, v INT, PRIMARY KEY (id) NOT ENFORCED',
    options: { ...optionsOf('sum'), 'aggregation.remove-record-on-delete': 'true' },
    changelog: '+I 1 5 | -D 1 5 | +I 1 3 | +I 2 4 | -D 2 4',
    rows: ['1 3'],
  },
]

function one(
  name: AggregateFunction,
  type: string,
  changelog: string,
  rows: readonly string[],
  title: string,
): MergeCase {
  return {
    id: `${name}-${title}`.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase(),
    title: `A1 ${title}`,
    needs: [upserts, aggregate(name)],
    columns: `id INT, v ${type}, PRIMARY KEY (id) NOT ENFORCED`,
    options: optionsOf(name),
    changelog,
    rows,
  }
}

function taken(
  name: AggregateFunction,
  type: string,
  changelog: string,
  rows: readonly string[],
  title: string,
): MergeCase {
  const added = one(name, type, changelog, rows, title)
  return { ...added, needs: [...(added.needs ?? []), retraction(name)] }
}

/** The retraction is rejected, and the record after it is written. */
function refused(name: AggregateFunction, type: string, changelog: string, rows: readonly string[]): MergeCase {
  return {
    ...one(name, type, changelog, rows, `${name} takes no retraction`),
    title: `A2 ${name} takes no retraction`,
    rejected: ['RETRACT_UNSUPPORTED'],
  }
}

function ignoring(name: AggregateFunction, type: string, changelog: string, rows: readonly string[]): MergeCase {
  return {
    ...one(name, type, changelog, rows, `${name} ignores retractions`),
    title: `A2 with ignore-retract ${name} keeps what was retracted`,
    options: { ...optionsOf(name), 'fields.v.ignore-retract': 'true' },
  }
}

/** The record that does not fit is rejected; the sum and the other keys stay as they are. */
function overflow(type: string, changelog: string, rows: readonly string[]): MergeCase {
  return {
    ...one('sum', type, changelog, rows, `sum of ${type} never wraps around`),
    rejected: ['ROW_REJECTED'],
  }
}

function optionsOf(name: AggregateFunction): Record<string, string> {
  return {
    'merge-engine': 'aggregation',
    'fields.v.aggregate-function': name,
    'sink.accept-duplicates': 'true',
  }
}
