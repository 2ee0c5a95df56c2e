import type { QualifiedName } from './identifier.ts'
import { quoteQualified } from './identifier.ts'
import type { Session, Statement } from './session.ts'
import type { StoreType } from './type-mapping.ts'

/** What the catalog knows of a target, as far as writing into it depends on it. */
export interface CatalogTable {
  readonly oid: string
  readonly name: { readonly schema: string; readonly name: string }
  /** relkind: `r` table, `p` partitioned table, `v` view, … */
  readonly kind: string
  readonly columns: readonly CatalogColumn[]
  readonly uniqueIndexes: readonly CatalogIndex[]
  /** Tables that this one's foreign keys point at. */
  readonly references: readonly { readonly name: string; readonly oid: string; readonly deferrable: boolean }[]
  /** A deferrable UNIQUE or exclusion constraint is there. */
  readonly defersUnique: boolean
  readonly privileges: Readonly<Record<Privilege, boolean>>
}

export type Privilege = 'select' | 'insert' | 'update' | 'delete' | 'truncate'

export interface CatalogColumn {
  readonly name: string
  readonly type: StoreType
  readonly notNull: boolean
  /** The default as an expression, names qualified. */
  readonly defaultSql: string | undefined
  readonly isGenerated: boolean
  readonly identity: 'always' | 'by default' | undefined
  /** A collation under which different texts can be equal. */
  readonly nondeterministic: boolean
}

export interface CatalogIndex {
  readonly name: string
  readonly columns: readonly string[]
  /** Usable as the arbiter of ON CONFLICT: valid, not partial, no expressions, not deferrable. */
  readonly arbiter: boolean
  readonly deferrable: boolean
}

/** With only pg_catalog in the path, every other name in types and defaults is written with its schema. */
const qualifiedNames: Statement = { text: 'SET LOCAL search_path TO pg_catalog' }

/**
 * The tables as they are, by their place in `names`; undefined for one that is not there. A name without a schema is looked
 * up by the session's own search_path.
 */
export async function readCatalog(
  session: Session,
  names: readonly QualifiedName[],
): Promise<readonly (CatalogTable | undefined)[]> {
  const transaction = await session.begin()
  try {
    const found = await transaction.query({ text: lookUp, values: [textArray(names.map(quoteQualified))] })
    await transaction.query(qualifiedNames)
    const tables: (CatalogTable | undefined)[] = []
    for (const [oid] of found.rows) {
      if (oid === null) {
        tables.push(undefined)
        continue
      }
      const { rows } = await transaction.query({ text: describe, values: [oid] })
      const [json] = rows[0] ?? []
      tables.push(typeof json === 'string' ? tableOf(JSON.parse(json) as DescribedTable) : undefined)
    }
    return tables
  } finally {
    await transaction.rollback()
  }
}

function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

const lookUp = `
SELECT to_regclass(n)::oid::text
FROM unnest($1::text[]) WITH ORDINALITY AS u (n, i)
ORDER BY i`

/** One JSON object, since its parts have different numbers of rows. */
const describe = `
SELECT json_build_object(
  'oid', c.oid::text,
  'schema', n.nspname,
  'name', c.relname,
  'kind', c.relkind,
  'columns', (
    SELECT coalesce(json_agg(json_build_object(
      'name', a.attname,
      'type', format_type(base.oid, NULL),
      'kind', t.typtype,
      'modifier', base.modifier,
      'notNull', a.attnotnull OR base.not_null,
      'default', pg_get_expr(d.adbin, d.adrelid),
      'generated', a.attgenerated,
      'identity', a.attidentity,
      'sequence', CASE WHEN a.attidentity <> '' THEN pg_get_serial_sequence(c.oid::regclass::text, a.attname) END,
      'nondeterministic', EXISTS (SELECT FROM pg_collation o WHERE o.oid = a.attcollation AND NOT o.collisdeterministic)
    ) ORDER BY a.attnum), '[]')
    FROM pg_attribute a
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    CROSS JOIN LATERAL (
      WITH RECURSIVE domain AS (
        SELECT a.atttypid AS oid, a.atttypmod AS modifier, false AS not_null, 0 AS depth
        UNION ALL
        SELECT y.typbasetype, CASE WHEN domain.modifier < 0 THEN y.typtypmod ELSE domain.modifier END,
               domain.not_null OR y.typnotnull, domain.depth + 1
        FROM domain JOIN pg_type y ON y.oid = domain.oid AND y.typtype = 'd'
      )
      SELECT oid, modifier, not_null FROM domain ORDER BY depth DESC LIMIT 1
    ) AS base
    JOIN pg_type t ON t.oid = base.oid
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  ),
  'indexes', (
    SELECT coalesce(json_agg(json_build_object(
      'name', i.relname,
      'columns', (
        SELECT json_agg(a.attname ORDER BY k.at)
        FROM unnest(x.indkey) WITH ORDINALITY AS k (attnum, at)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
        WHERE k.at <= x.indnkeyatts
      ),
      'arbiter', x.indisvalid AND x.indimmediate AND x.indpred IS NULL AND x.indexprs IS NULL,
      'deferrable', NOT x.indimmediate
    ) ORDER BY i.relname), '[]')
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
    WHERE x.indrelid = c.oid AND x.indisunique
  ),
  'references', (
    SELECT coalesce(json_agg(json_build_object(
      'name', f.conname, 'oid', f.confrelid::text, 'deferrable', f.condeferrable) ORDER BY f.conname), '[]')
    FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid
  ),
  'defersUnique', EXISTS (
    SELECT FROM pg_constraint u WHERE u.conrelid = c.oid AND u.condeferrable AND u.contype IN ('u', 'p', 'x')
  ),
  'privileges', json_build_object(
    'select', has_table_privilege(c.oid, 'SELECT'),
    'insert', has_table_privilege(c.oid, 'INSERT'),
    'update', has_table_privilege(c.oid, 'UPDATE'),
    'delete', has_table_privilege(c.oid, 'DELETE'),
    'truncate', has_table_privilege(c.oid, 'TRUNCATE')
  )
)::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = $1::oid`

interface DescribedTable {
  readonly oid: string
  readonly schema: string
  readonly name: string
  readonly kind: string
  readonly columns: readonly DescribedColumn[]
  readonly indexes: readonly CatalogIndex[]
  readonly references: CatalogTable['references']
  readonly defersUnique: boolean
  readonly privileges: CatalogTable['privileges']
}

interface DescribedColumn {
  readonly name: string
  readonly type: string
  /** typtype. */
  readonly kind: string
  readonly modifier: number
  readonly notNull: boolean
  readonly default: string | null
  readonly generated: string
  readonly identity: string
  readonly sequence: string | null
  readonly nondeterministic: boolean
}

function tableOf(described: DescribedTable): CatalogTable {
  return {
    oid: described.oid,
    name: { schema: described.schema, name: described.name },
    kind: described.kind,
    columns: described.columns.map(columnOf),
    uniqueIndexes: described.indexes.map((index) => ({ ...index, columns: index.columns ?? [] })),
    references: described.references,
    defersUnique: described.defersUnique,
    privileges: described.privileges,
  }
}

const typeKinds: Readonly<Record<string, StoreType['kind']>> = {
  b: 'base',
  c: 'composite',
  e: 'enum',
  m: 'range',
  p: 'pseudo',
  r: 'range',
}

function columnOf(column: DescribedColumn): CatalogColumn {
  const identity = column.identity === 'a' ? 'always' : column.identity === 'd' ? 'by default' : undefined
  return {
    name: column.name,
    type: { name: column.type, kind: typeKinds[column.kind] ?? 'base', modifier: column.modifier },
    notNull: column.notNull,
    defaultSql: column.sequence === null ? (column.default ?? undefined) : nextValue(column.sequence),
    isGenerated: column.generated !== '',
    identity,
    nondeterministic: column.nondeterministic,
  }
}

function nextValue(sequence: string): string {
  return `nextval('${sequence.replaceAll("'", "''")}'::regclass)`
}
