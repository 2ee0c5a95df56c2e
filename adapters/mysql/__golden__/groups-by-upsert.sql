-- created if it is missing
CREATE TABLE IF NOT EXISTS `orders` (
  `order_id` BIGINT NOT NULL,
  `status` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `amount` DECIMAL(12,2) NULL,
  `attr` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `day` DATE NULL,
  `order_ts` BIGINT NULL,
  `attr_ts` BIGINT NULL,
  `note` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `__tidegate_deleted` BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (`order_id`)
) ENGINE = InnoDB;

-- created if it is missing
CREATE OR REPLACE VIEW `orders_live` AS
SELECT `order_id`, `status`, `amount`, `attr`, `day`, `order_ts`, `attr_ts`, `note`
FROM `orders`
WHERE `__tidegate_deleted` IS NOT TRUE;

-- changes that add and lack nothing: merged by the statement
INSERT INTO `orders` (`order_id`, `status`, `amount`, `attr`, `day`, `order_ts`, `attr_ts`, `note`, `__tidegate_deleted`)
SELECT s.c0, s.c1, s.c2, s.c3, s.c4, s.c5, s.c6, s.c7, s.c8
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]', c6 LONGTEXT CHARACTER SET utf8mb4 PATH '$[6]', c7 LONGTEXT CHARACTER SET utf8mb4 PATH '$[7]', c8 LONGTEXT CHARACTER SET utf8mb4 PATH '$[8]')) AS s
ON DUPLICATE KEY UPDATE
  `status` = IF((VALUES(`day`) IS NOT NULL OR VALUES(`order_ts`) IS NOT NULL) AND IF(VALUES(`day`) <=> `orders`.`day`, COALESCE(`orders`.`order_ts` IS NULL OR VALUES(`order_ts`) >= `orders`.`order_ts`, FALSE), COALESCE(`orders`.`day` IS NULL OR VALUES(`day`) > `orders`.`day`, FALSE)), VALUES(`status`), `orders`.`status`),
  `amount` = COALESCE(`orders`.`amount` + VALUES(`amount`), `orders`.`amount`, VALUES(`amount`)),
  `attr` = IF((VALUES(`attr_ts`) IS NOT NULL) AND COALESCE(`orders`.`attr_ts` IS NULL OR VALUES(`attr_ts`) >= `orders`.`attr_ts`, FALSE), VALUES(`attr`), `orders`.`attr`),
  `note` = COALESCE(VALUES(`note`), `orders`.`note`),
  `__tidegate_deleted` = VALUES(`__tidegate_deleted`),
  `order_ts` = IF((VALUES(`day`) IS NOT NULL OR VALUES(`order_ts`) IS NOT NULL) AND IF(VALUES(`day`) <=> `orders`.`day`, COALESCE(`orders`.`order_ts` IS NULL OR VALUES(`order_ts`) >= `orders`.`order_ts`, FALSE), COALESCE(`orders`.`day` IS NULL OR VALUES(`day`) > `orders`.`day`, FALSE)), VALUES(`order_ts`), `orders`.`order_ts`),
  `day` = IF((VALUES(`day`) IS NOT NULL OR VALUES(`order_ts`) IS NOT NULL) AND IF(VALUES(`day`) <=> `orders`.`day`, COALESCE(`orders`.`order_ts` IS NULL OR VALUES(`order_ts`) >= `orders`.`order_ts`, FALSE), COALESCE(`orders`.`day` IS NULL OR VALUES(`day`) > `orders`.`day`, FALSE)), VALUES(`day`), `orders`.`day`),
  `attr_ts` = IF((VALUES(`attr_ts`) IS NOT NULL) AND COALESCE(`orders`.`attr_ts` IS NULL OR VALUES(`attr_ts`) >= `orders`.`attr_ts`, FALSE), VALUES(`attr_ts`), `orders`.`attr_ts`);

-- changes that need what is stored: their rows are locked and merged by tidegate
SELECT s.n, CAST(t.`order_id` AS CHAR), t.`status`, CAST(t.`amount` AS CHAR), t.`attr`, CAST(t.`day` AS CHAR), CAST(t.`order_ts` AS CHAR), CAST(t.`attr_ts` AS CHAR), t.`note`, CAST(t.`__tidegate_deleted` AS CHAR)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `orders` AS t FORCE INDEX (PRIMARY) ON t.`order_id` = CAST(s.c0 AS SIGNED)
FOR UPDATE OF t;

-- merged rows that are there
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]', c6 LONGTEXT CHARACTER SET utf8mb4 PATH '$[6]', c7 LONGTEXT CHARACTER SET utf8mb4 PATH '$[7]', c8 LONGTEXT CHARACTER SET utf8mb4 PATH '$[8]')) AS s
STRAIGHT_JOIN `orders` AS t FORCE INDEX (PRIMARY) ON t.`order_id` = CAST(s.c0 AS SIGNED)
SET t.`status` = s.c1,
  t.`amount` = s.c2,
  t.`attr` = s.c3,
  t.`day` = s.c4,
  t.`order_ts` = s.c5,
  t.`attr_ts` = s.c6,
  t.`note` = s.c7,
  t.`__tidegate_deleted` = s.c8;

-- merged rows that are new
INSERT INTO `orders` (`order_id`, `status`, `amount`, `attr`, `day`, `order_ts`, `attr_ts`, `note`, `__tidegate_deleted`)
SELECT s.c0, s.c1, s.c2, s.c3, s.c4, s.c5, s.c6, s.c7, s.c8
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]', c6 LONGTEXT CHARACTER SET utf8mb4 PATH '$[6]', c7 LONGTEXT CHARACTER SET utf8mb4 PATH '$[7]', c8 LONGTEXT CHARACTER SET utf8mb4 PATH '$[8]')) AS s;
