export interface AgreementCase {
  readonly title: string
  readonly columns: string
  readonly options?: Readonly<Record<string, string>>
}

/** The merge rules whose statements are compared with `apply`, each with the smallest table that shows it. */
export const agreementCases: readonly AgreementCase[] = [
  { title: 'deduplicate', columns: 'a STRING, b INT' },
  { title: 'deduplicate, soft deletes', columns: 'a STRING, b INT', options: { 'sink.delete.mode': 'soft' } },
  { title: 'deduplicate, tombstones', columns: 'a STRING, b INT', options: { 'sink.delete.mode': 'tombstone' } },
  { title: 'sequence.field', columns: 'a STRING, s INT', options: { 'sequence.field': 's' } },
  {
    title: 'columns named like what the statements ask for',
    columns: 'version STRING, `version?` INT, n INT, c1 INT, `#` INT, `deleted?` STRING',
    options: { 'sequence.field': 'n' },
  },
  {
    title: 'sequence.field, compound and first arrival',
    columns: 'a STRING, s STRING, r BIGINT',
    options: { 'sequence.field': 's,r', 'sequence.tie': 'first-arrival' },
  },
  {
    title: 'sequence.field, descending',
    columns: 'a STRING, s DECIMAL(6,2), r INT',
    options: { 'sequence.field': 's,r', 'sequence.field.sort-order': 'descending' },
  },
  {
    title: 'sequence.field, soft deletes',
    columns: 'a STRING, s INT',
    options: { 'sequence.field': 's', 'sink.delete.mode': 'soft' },
  },
  {
    title: 'sequence.field, hard deletes',
    columns: 'a STRING, s INT',
    options: { 'sequence.field': 's', 'sink.delete.mode': 'hard', 'sink.tombstone.retention': '0' },
  },
  {
    title: 'sequence.field, swept tombstones',
    columns: 'a STRING, s INT',
    options: { 'sequence.field': 's', 'sink.tombstone.retention': '1h' },
  },
  { title: 'first-row', columns: 'a STRING, b INT', options: { 'merge-engine': 'first-row' } },
  { title: 'partial-update', columns: 'a STRING, b INT', options: { 'merge-engine': 'partial-update' } },
  {
    title: 'partial-update, nulls overwrite',
    columns: 'a STRING, b INT',
    options: { 'merge-engine': 'partial-update', 'partial-update.null-overwrites': 'true' },
  },
  {
    title: 'partial-update, remove-record-on-delete',
    columns: 'a STRING, b INT',
    options: { 'merge-engine': 'partial-update', 'partial-update.remove-record-on-delete': 'true' },
  },
  {
    title: 'partial-update, remove-record-on-delete with tombstones',
    columns: 'a STRING, b INT',
    options: {
      'merge-engine': 'partial-update',
      'partial-update.remove-record-on-delete': 'true',
      'sink.delete.mode': 'tombstone',
    },
  },
  {
    title: 'partial-update by sequence.field',
    columns: 'a STRING, b INT, s INT',
    options: { 'merge-engine': 'partial-update', 'sequence.field': 's' },
  },
  {
    title: 'partial-update by sequence.field, remove-record-on-delete',
    columns: 'a STRING, b INT, s INT',
    options: {
      'merge-engine': 'partial-update',
      'sequence.field': 's',
      'partial-update.remove-record-on-delete': 'true',
    },
  },
  {
    title: 'partial-update by sequence.field, first arrival, tombstones',
    columns: 'a STRING, b INT, s INT',
    options: {
      'merge-engine': 'partial-update',
      'sequence.field': 's',
      'sequence.tie': 'first-arrival',
      'partial-update.remove-record-on-delete': 'true',
      'sink.delete.mode': 'tombstone',
    },
  },
  {
    title: 'sequence groups',
    columns: 'a STRING, b INT, g INT, c STRING, h INT, k INT, free STRING',
    options: {
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a,b',
      'fields.h,k.sequence-group': 'c',
    },
  },
  {
    title: 'sequence groups that remove the record',
    columns: 'a STRING, g INT, c STRING, h INT',
    options: {
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a',
      'fields.h.sequence-group': 'c',
      'partial-update.remove-record-on-sequence-group': 'g',
    },
  },
  {
    title: 'sequence groups that remove the record for good',
    columns: 'a STRING, g INT, c STRING, h INT',
    options: {
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a',
      'fields.h.sequence-group': 'c',
      'partial-update.remove-record-on-sequence-group': 'g,h',
      'sink.delete.mode': 'hard',
      'sink.tombstone.retention': '0',
    },
  },
  {
    title: 'sequence group with aggregates',
    columns: 'g INT, h INT, su BIGINT, pr DECIMAL(18,2), lv STRING, ln STRING, co ARRAY<INT>',
    options: {
      'merge-engine': 'partial-update',
      'fields.g,h.sequence-group': 'su,pr,lv,ln,co',
      'fields.su.aggregate-function': 'sum',
      'fields.pr.aggregate-function': 'product',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'fields.co.aggregate-function': 'collect',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'sequence group with aggregates that take no retract',
    columns: 'g INT, mx INT, mn STRING, fv STRING, fn STRING, ba BOOLEAN, bo BOOLEAN',
    options: {
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'mx,mn,fv,fn,ba,bo',
      'fields.mx.aggregate-function': 'max',
      'fields.mn.aggregate-function': 'min',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fn.aggregate-function': 'first_non_null_value',
      'fields.ba.aggregate-function': 'bool_and',
      'fields.bo.aggregate-function': 'bool_or',
    },
  },
  {
    title: 'aggregation by arrival',
    columns:
      'su INT, de DECIMAL(6,2), pr DECIMAL(18,2), pi INT, lv STRING, ln STRING, co ARRAY<STRING>, cs ARRAY<STRING>',
    options: {
      'merge-engine': 'aggregation',
      'fields.su.aggregate-function': 'sum',
      'fields.de.aggregate-function': 'sum',
      'fields.pr.aggregate-function': 'product',
      'fields.pi.aggregate-function': 'product',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'fields.co.aggregate-function': 'collect',
      'fields.cs.aggregate-function': 'collect',
      'fields.cs.distinct': 'true',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by arrival, functions that take no retract',
    columns: 'mx STRING, mn DECIMAL(6,2), fv STRING, fn INT, ba BOOLEAN, bo BOOLEAN, li STRING, ld STRING',
    options: {
      'merge-engine': 'aggregation',
      'fields.mx.aggregate-function': 'max',
      'fields.mn.aggregate-function': 'min',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fn.aggregate-function': 'first_non_null_value',
      'fields.ba.aggregate-function': 'bool_and',
      'fields.bo.aggregate-function': 'bool_or',
      'fields.li.aggregate-function': 'listagg',
      'fields.ld.aggregate-function': 'listagg',
      'fields.ld.distinct': 'true',
      'fields.ld.list-agg-delimiter': '|',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by arrival, retracts ignored',
    columns: 'mx STRING, su BIGINT, fv STRING',
    options: {
      'merge-engine': 'aggregation',
      'fields.mx.aggregate-function': 'max',
      'fields.mx.ignore-retract': 'true',
      'fields.su.aggregate-function': 'sum',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fv.ignore-retract': 'true',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by sequence.field',
    columns: 's INT, su BIGINT, lv STRING, ln STRING',
    options: {
      'merge-engine': 'aggregation',
      'sequence.field': 's',
      'fields.su.aggregate-function': 'sum',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by sequence.field, descending and first arrival',
    columns: 's INT, r INT, lv STRING, ln STRING, fv STRING, fn STRING',
    options: {
      'merge-engine': 'aggregation',
      'sequence.field': 's,r',
      'sequence.tie': 'first-arrival',
      'sequence.field.sort-order': 'descending',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fn.aggregate-function': 'first_non_null_value',
    },
  },
  {
    title: 'aggregation, remove-record-on-delete',
    columns: 's INT, su BIGINT, ln STRING',
    options: {
      'merge-engine': 'aggregation',
      'aggregation.remove-record-on-delete': 'true',
      'fields.su.aggregate-function': 'sum',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by sequence.field, remove-record-on-delete with tombstones',
    columns: 's INT, su BIGINT, ln STRING, mx INT',
    options: {
      'merge-engine': 'aggregation',
      'sequence.field': 's',
      'aggregation.remove-record-on-delete': 'true',
      'sink.delete.mode': 'tombstone',
      'fields.su.aggregate-function': 'sum',
      'fields.mx.aggregate-function': 'max',
      'sink.accept-duplicates': 'true',
    },
  },
]
