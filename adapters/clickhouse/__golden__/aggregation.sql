-- created if it is missing
CREATE TABLE IF NOT EXISTS `totals` (
  `shop` String,
  `total` SimpleAggregateFunction(sum, Nullable(Decimal(38, 2))),
  `n` SimpleAggregateFunction(sum, Nullable(Int64)),
  `largest` SimpleAggregateFunction(max, Nullable(Float64)),
  `last` SimpleAggregateFunction(max, Tuple(UInt64, Nullable(String))),
  `open` SimpleAggregateFunction(max, Nullable(Bool)),
  `__tidegate_deleted` SimpleAggregateFunction(min, Bool),
  `__tidegate_version` SimpleAggregateFunction(max, UInt64)
)
ENGINE = AggregatingMergeTree
ORDER BY (`shop`)
SETTINGS non_replicated_deduplication_window = 1000;

-- created if it is missing
CREATE VIEW IF NOT EXISTS `totals_live` AS
SELECT `shop`, `total`, `n`, `largest`, tupleElement(`last`, 2) AS `last`, `open`
FROM `totals` FINAL WHERE NOT `__tidegate_deleted`;

-- what the changes bring to each column
INSERT INTO `totals` (`shop`, `total`, `n`, `largest`, `last`, `open`, `__tidegate_deleted`, `__tidegate_version`) FORMAT RowBinary;

-- readers: SELECT … FROM `totals` FINAL WHERE NOT `__tidegate_deleted` shows each key once and no deleted row; without that parts of rows that are still to be merged are seen too

-- readers: `totals_live`, which `ddl` makes, does so by itself
