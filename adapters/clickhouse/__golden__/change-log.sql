-- created if it is missing
CREATE TABLE IF NOT EXISTS `orders` (
  `id` Int64,
  `status` Nullable(String),
  `__tidegate_kind` LowCardinality(String),
  `__tidegate_version` UInt64
)
ENGINE = MergeTree
ORDER BY (`id`, `__tidegate_version`)
SETTINGS non_replicated_deduplication_window = 1000;

-- changes to append, each with its kind and the number of its arrival
INSERT INTO `orders` (`id`, `status`, `__tidegate_kind`, `__tidegate_version`) FORMAT RowBinary;
