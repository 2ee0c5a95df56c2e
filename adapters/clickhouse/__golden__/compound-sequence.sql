-- created if it is missing
CREATE TABLE IF NOT EXISTS `sales`.`orders` (
  `shop` String,
  `id` Int64,
  `status` String,
  `day` Nullable(Date32),
  `version` Nullable(Int64),
  `__tidegate_deleted` Bool,
  `__tidegate_version` UInt128
)
ENGINE = ReplacingMergeTree(`__tidegate_version`, `__tidegate_deleted`)
ORDER BY (`shop`, `id`)
SETTINGS non_replicated_deduplication_window = 1000;

-- created if it is missing
CREATE VIEW IF NOT EXISTS `sales`.`orders_live` AS
SELECT `shop`, `id`, `status`, `day`, `version`
FROM `sales`.`orders` FINAL;

-- rows and deletes, each with its version
INSERT INTO `sales`.`orders` (`shop`, `id`, `status`, `day`, `version`, `__tidegate_deleted`, `__tidegate_version`) FORMAT RowBinary;

-- what is stored, for update-befores and deletes without a sequence
SELECT toString(`shop`), toString(`id`), toString(`status`), toString(`day`), toString(`version`), toString(`__tidegate_deleted`)
FROM (SELECT * FROM `sales`.`orders`
WHERE (`shop`, `id`) IN (SELECT arrayElement(k, 1), CAST(arrayElement(k, 2), 'Int64') FROM (SELECT arrayJoin({keys: Array(Array(String))}) AS k))
ORDER BY `__tidegate_version` DESC, toInt64(splitByChar('_', _part)[2]) DESC, _part_offset DESC
LIMIT 1 BY `shop`, `id`);

-- readers: SELECT … FROM `sales`.`orders` FINAL shows each key once and no deleted row; without that older versions are seen too

-- readers: `sales`.`orders_live`, which `ddl` makes, does so by itself
