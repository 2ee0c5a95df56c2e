import { type QualifiedName, quoteQualified } from '../identifier.ts'

/**
 * The ledger of exactly-once sinks (rule R5): one row a sink, changed in the transaction that changes the tables. It is
 * locked first, so the flushes of one sink, and of an older writer of it, come one after the other.
 */
export function createLedger(ledger: QualifiedName): string {
  return [
    `CREATE TABLE IF NOT EXISTS ${quoteQualified(ledger)} (`,
    '  sink_id VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,',
    '  epoch BIGINT NOT NULL,',
    '  writer CHAR(36) CHARACTER SET ascii NOT NULL,',
    '  positions LONGTEXT CHARACTER SET utf8mb4 NOT NULL,',
    '  batch_id VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,',
    '  updated_at DATETIME(6) NOT NULL',
    ') ENGINE = InnoDB',
  ].join('\n')
}

/** Sink id, writer. From here on an older writer's epoch is no longer the stored one. */
export function takeOver(ledger: QualifiedName): string {
  return [
    `INSERT INTO ${quoteQualified(ledger)} (sink_id, epoch, writer, positions, updated_at)`,
    "VALUES (?, 1, ?, '{}', UTC_TIMESTAMP(6))",
    'ON DUPLICATE KEY UPDATE epoch = epoch + 1, writer = VALUES(writer), updated_at = UTC_TIMESTAMP(6)',
  ].join('\n')
}

/** Sink id. Waits for a transaction that is still deciding. Gives epoch, writer, positions and batch id. */
export function lockEntry(ledger: QualifiedName): string {
  return `SELECT CAST(epoch AS CHAR), writer, positions, batch_id FROM ${quoteQualified(ledger)} WHERE sink_id = ? FOR UPDATE`
}

/** Positions, batch id, sink id. */
export function recordPositions(ledger: QualifiedName): string {
  return `UPDATE ${quoteQualified(ledger)} SET positions = ?, batch_id = ?, updated_at = UTC_TIMESTAMP(6) WHERE sink_id = ?`
}

/** Sink id. By a new epoch shuts out a transaction that is still on its way. */
export function nextEpoch(ledger: QualifiedName): string {
  return `UPDATE ${quoteQualified(ledger)} SET epoch = epoch + 1, updated_at = UTC_TIMESTAMP(6) WHERE sink_id = ?`
}
