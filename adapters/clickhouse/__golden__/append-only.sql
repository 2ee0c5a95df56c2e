-- created if it is missing
CREATE TABLE IF NOT EXISTS `history` (
  `at` Nullable(DateTime64(6, 'UTC')),
  `delta` Nullable(Int32)
)
ENGINE = MergeTree
ORDER BY tuple()
SETTINGS non_replicated_deduplication_window = 1000;

-- rows to append
INSERT INTO `history` (`at`, `delta`) FORMAT RowBinary;
