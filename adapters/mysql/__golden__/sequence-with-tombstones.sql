-- created if it is missing
CREATE TABLE IF NOT EXISTS `orders` (
  `id` BIGINT NOT NULL,
  `status` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `day` DATE NULL,
  `version` BIGINT NULL,
  `__tidegate_deleted` BOOLEAN NOT NULL DEFAULT FALSE,
  `__tidegate_deleted_at` DATETIME(6) NULL,
  PRIMARY KEY (`id`)
) ENGINE = InnoDB;

-- created if it is missing
CREATE OR REPLACE VIEW `orders_live` AS
SELECT `id`, `status`, `day`, `version`
FROM `orders`
WHERE `__tidegate_deleted` IS NOT TRUE;

-- complete images, and deletes that leave a tombstone
INSERT INTO `orders` (`id`, `status`, `day`, `version`, `__tidegate_deleted`, `__tidegate_deleted_at`)
SELECT s.c0, s.c1, s.c2, s.c3, s.c4, IF(s.c4 = '1', UTC_TIMESTAMP(6), NULL)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]')) AS s
ON DUPLICATE KEY UPDATE
  `status` = IF(IF(VALUES(`day`) <=> `orders`.`day`, COALESCE(`orders`.`version` IS NULL OR VALUES(`version`) >= `orders`.`version`, FALSE), COALESCE(`orders`.`day` IS NULL OR VALUES(`day`) > `orders`.`day`, FALSE)), VALUES(`status`), `orders`.`status`),
  `__tidegate_deleted` = IF(IF(VALUES(`day`) <=> `orders`.`day`, COALESCE(`orders`.`version` IS NULL OR VALUES(`version`) >= `orders`.`version`, FALSE), COALESCE(`orders`.`day` IS NULL OR VALUES(`day`) > `orders`.`day`, FALSE)), VALUES(`__tidegate_deleted`), `orders`.`__tidegate_deleted`),
  `__tidegate_deleted_at` = IF(IF(VALUES(`day`) <=> `orders`.`day`, COALESCE(`orders`.`version` IS NULL OR VALUES(`version`) >= `orders`.`version`, FALSE), COALESCE(`orders`.`day` IS NULL OR VALUES(`day`) > `orders`.`day`, FALSE)), VALUES(`__tidegate_deleted_at`), `orders`.`__tidegate_deleted_at`),
  `version` = IF(IF(VALUES(`day`) <=> `orders`.`day`, COALESCE(`orders`.`version` IS NULL OR VALUES(`version`) >= `orders`.`version`, FALSE), COALESCE(`orders`.`day` IS NULL OR VALUES(`day`) > `orders`.`day`, FALSE)), VALUES(`version`), `orders`.`version`),
  `day` = IF(IF(VALUES(`day`) <=> `orders`.`day`, COALESCE(`orders`.`version` IS NULL OR VALUES(`version`) >= `orders`.`version`, FALSE), COALESCE(`orders`.`day` IS NULL OR VALUES(`day`) > `orders`.`day`, FALSE)), VALUES(`day`), `orders`.`day`);

-- changes that need what is stored: their rows are locked and merged by tidegate
SELECT s.n, CAST(t.`id` AS CHAR), t.`status`, CAST(t.`day` AS CHAR), CAST(t.`version` AS CHAR), CAST(t.`__tidegate_deleted` AS CHAR), CONCAT(CAST(t.`__tidegate_deleted_at` AS CHAR), 'Z')
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `orders` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
FOR UPDATE OF t;

-- merged rows that are there
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]')) AS s
STRAIGHT_JOIN `orders` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
SET t.`status` = s.c1,
  t.`day` = s.c2,
  t.`version` = s.c3,
  t.`__tidegate_deleted` = s.c4,
  t.`__tidegate_deleted_at` = IF(s.c4 = '1', UTC_TIMESTAMP(6), NULL);

-- merged rows that are new
INSERT INTO `orders` (`id`, `status`, `day`, `version`, `__tidegate_deleted`, `__tidegate_deleted_at`)
SELECT s.c0, s.c1, s.c2, s.c3, s.c4, IF(s.c4 = '1', UTC_TIMESTAMP(6), NULL)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]')) AS s;
