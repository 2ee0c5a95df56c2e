-- created if it is missing
CREATE TABLE IF NOT EXISTS `orders` (
  `id` Int64,
  `status` Nullable(String),
  `sign` Int8
)
ENGINE = CollapsingMergeTree(`sign`)
ORDER BY (`id`)
SETTINGS non_replicated_deduplication_window = 1000;

-- created if it is missing
CREATE VIEW IF NOT EXISTS `orders_live` AS
SELECT `id`, `status`
FROM `orders` FINAL WHERE `sign` = 1;

-- images that are taken back with the sign -1, and those that stand with 1
INSERT INTO `orders` (`id`, `status`, `sign`) FORMAT RowBinary;

-- readers: SELECT … FROM `orders` FINAL WHERE `sign` = 1 shows each key once and no deleted row; without that images that were taken back, and what cancels them, are seen too

-- readers: `orders_live`, which `ddl` makes, does so by itself
