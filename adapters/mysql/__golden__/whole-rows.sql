-- created if it is missing
CREATE TABLE IF NOT EXISTS `orders` (
  `id` BIGINT NOT NULL,
  `status` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `amount` DECIMAL(12,2) NULL,
  PRIMARY KEY (`id`)
) ENGINE = InnoDB;

-- complete images
INSERT INTO `orders` (`id`, `status`, `amount`)
SELECT s.c0, s.c1, s.c2
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]')) AS s
ON DUPLICATE KEY UPDATE
  `status` = VALUES(`status`),
  `amount` = VALUES(`amount`);

-- deletes
DELETE t FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `orders` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED);

-- changes that need what is stored: their rows are locked and merged by tidegate
SELECT s.n, CAST(t.`id` AS CHAR), t.`status`, CAST(t.`amount` AS CHAR)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `orders` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
FOR UPDATE OF t;

-- merged rows that are there
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]')) AS s
STRAIGHT_JOIN `orders` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
SET t.`status` = s.c1,
  t.`amount` = s.c2;

-- merged rows that are new
INSERT INTO `orders` (`id`, `status`, `amount`)
SELECT s.c0, s.c1, s.c2
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]')) AS s;
