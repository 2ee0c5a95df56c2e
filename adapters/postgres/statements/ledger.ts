import { type QualifiedName, quoteQualified } from '../identifier.ts'

/**
 * The ledger of exactly-once sinks (rule R5): one row a sink, changed in the transaction that changes the tables. It is
 * locked first, so the flushes of one sink, and of an older writer of it, come one after the other.
 */
export function createLedger(ledger: QualifiedName): string {
  return [
    `CREATE TABLE IF NOT EXISTS ${quoteQualified(ledger)} (`,
    '  sink_id text PRIMARY KEY,',
    '  epoch bigint NOT NULL,',
    '  writer text NOT NULL,',
    '  positions jsonb NOT NULL,',
    '  batch_id text,',
    '  updated_at timestamptz NOT NULL',
    ')',
  ].join('\n')
}

/** `$1` sink id, `$2` writer. From here on an older writer's epoch is no longer the stored one. Gives epoch, positions. */
export function takeOver(ledger: QualifiedName): string {
  return [
    `INSERT INTO ${quoteQualified(ledger)} AS l (sink_id, epoch, writer, positions, updated_at)`,
    "VALUES ($1, 1, $2, '{}', now())",
    'ON CONFLICT (sink_id) DO UPDATE SET epoch = l.epoch + 1, writer = EXCLUDED.writer, updated_at = now()',
    'RETURNING l.epoch::text, l.positions::text',
  ].join('\n')
}

/** `$1` sink id, `$2` epoch, `$3` positions, `$4` batch id. Touches no row if another writer has taken over. */
export function recordPositions(ledger: QualifiedName): string {
  return [
    `UPDATE ${quoteQualified(ledger)}`,
    'SET positions = positions || $3::jsonb, batch_id = $4, updated_at = now()',
    'WHERE sink_id = $1 AND epoch = $2::bigint',
  ].join('\n')
}

/**
 * `$1` sink id, `$2` writer. Waits for a transaction that is still deciding, and by a new epoch shuts out one that is still
 * on its way. Gives epoch and batch id; no row if another writer has taken over.
 */
export function settleDoubt(ledger: QualifiedName): string {
  return [
    `UPDATE ${quoteQualified(ledger)} SET epoch = epoch + 1, updated_at = now()`,
    'WHERE sink_id = $1 AND writer = $2',
    'RETURNING epoch::text, batch_id',
  ].join('\n')
}
