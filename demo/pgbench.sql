-- pgbench's four tables, in an embedded PostgreSQL that is gone afterwards. Another 'url' writes into yours:
-- postgres://user@host/database, or pglite:./folder.
-- All four share one transaction a flush, and a flush never cuts a transaction of the source ('sink.flush.align').
-- 500 rows that wait, whichever tables they are for, make a flush.

CREATE TABLE pgbench_branches (
  bid INT, bbalance INT, filler CHAR(88),
  PRIMARY KEY (bid) NOT ENFORCED
) WITH (
  'connector' = 'postgres', 'url' = 'pglite:memory', 'sink.create-table' = 'if-not-exists',
  'format' = 'pgoutput', 'sink.flush.align' = 'group', 'sink.buffer-flush.max-rows' = '500',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 'pgbench'
);

CREATE TABLE pgbench_tellers (
  tid INT, bid INT, tbalance INT, filler CHAR(84),
  PRIMARY KEY (tid) NOT ENFORCED
) WITH (
  'connector' = 'postgres', 'url' = 'pglite:memory', 'sink.create-table' = 'if-not-exists',
  'format' = 'pgoutput', 'sink.flush.align' = 'group',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 'pgbench'
);

CREATE TABLE pgbench_accounts (
  aid INT, bid INT, abalance INT, filler CHAR(84),
  PRIMARY KEY (aid) NOT ENFORCED
) WITH (
  'connector' = 'postgres', 'url' = 'pglite:memory', 'sink.create-table' = 'if-not-exists',
  'format' = 'pgoutput', 'sink.flush.align' = 'group',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 'pgbench'
);

-- The history has no key: rows are only added, and exactly-once keeps a restart from adding them again.
CREATE TABLE pgbench_history (
  tid INT, bid INT, aid INT, delta INT, mtime TIMESTAMP(6), filler CHAR(22)
) WITH (
  'connector' = 'postgres', 'url' = 'pglite:memory', 'sink.create-table' = 'if-not-exists',
  'format' = 'pgoutput', 'source.changelog-mode' = 'insert-only', 'sink.flush.align' = 'group',
  'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 'pgbench'
);
