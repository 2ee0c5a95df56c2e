-- created if it is missing
CREATE TABLE IF NOT EXISTS `orders` (
  `id` Int64,
  `note` SimpleAggregateFunction(max, Tuple(UInt64, Nullable(String))),
  `__tidegate_deleted` SimpleAggregateFunction(min, Bool),
  `__tidegate_group_1` SimpleAggregateFunction(max, Tuple(UInt256, UInt64, Nullable(Int64), Nullable(DateTime64(3, 'UTC')), Nullable(String), Nullable(Decimal(12, 2)))),
  `__tidegate_version` SimpleAggregateFunction(max, UInt64)
)
ENGINE = AggregatingMergeTree
ORDER BY (`id`)
SETTINGS non_replicated_deduplication_window = 1000;

-- created if it is missing
CREATE VIEW IF NOT EXISTS `orders_live` AS
SELECT `id`, tupleElement(`__tidegate_group_1`, 5) AS `status`, tupleElement(`__tidegate_group_1`, 6) AS `paid`, tupleElement(`__tidegate_group_1`, 3) AS `version`, tupleElement(`__tidegate_group_1`, 4) AS `at`, tupleElement(`note`, 2) AS `note`
FROM `orders` FINAL WHERE NOT `__tidegate_deleted`;

-- what the changes bring to each column
INSERT INTO `orders` (`id`, `note`, `__tidegate_deleted`, `__tidegate_group_1`, `__tidegate_version`) FORMAT RowBinary;

-- readers: SELECT … FROM `orders` FINAL WHERE NOT `__tidegate_deleted` shows each key once and no deleted row; without that parts of rows that are still to be merged are seen too

-- readers: `orders_live`, which `ddl` makes, does so by itself
