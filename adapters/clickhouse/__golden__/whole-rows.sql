-- created if it is missing
CREATE TABLE IF NOT EXISTS `orders` (
  `id` Int64,
  `status` Nullable(String),
  `amount` Nullable(Decimal(12, 2)),
  `__tidegate_deleted` Bool,
  `__tidegate_version` UInt64
)
ENGINE = ReplacingMergeTree(`__tidegate_version`, `__tidegate_deleted`)
ORDER BY (`id`)
SETTINGS non_replicated_deduplication_window = 1000;

-- created if it is missing
CREATE VIEW IF NOT EXISTS `orders_live` AS
SELECT `id`, `status`, `amount`
FROM `orders` FINAL;

-- rows and deletes, each with its version
INSERT INTO `orders` (`id`, `status`, `amount`, `__tidegate_deleted`, `__tidegate_version`) FORMAT RowBinary;

-- what is stored, for update-befores and deletes without a sequence
SELECT toString(`id`), toString(`status`), toString(`amount`), toString(`__tidegate_deleted`)
FROM (SELECT * FROM `orders`
WHERE (`id`) IN (SELECT CAST(arrayElement(k, 1), 'Int64') FROM (SELECT arrayJoin({keys: Array(Array(String))}) AS k))
ORDER BY `__tidegate_version` DESC, toInt64(splitByChar('_', _part)[2]) DESC, _part_offset DESC
LIMIT 1 BY `id`);

-- readers: SELECT … FROM `orders` FINAL shows each key once and no deleted row; without that older versions are seen too

-- readers: `orders_live`, which `ddl` makes, does so by itself
