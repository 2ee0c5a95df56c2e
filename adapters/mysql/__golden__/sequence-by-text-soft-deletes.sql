-- created if it is missing
CREATE TABLE IF NOT EXISTS `orders` (
  `id` BIGINT NOT NULL,
  `status` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `version` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `gone` BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (`id`)
) ENGINE = InnoDB;

-- created if it is missing
CREATE OR REPLACE VIEW `orders_live` AS
SELECT `id`, `status`, `version`
FROM `orders`
WHERE `gone` IS NOT TRUE;

-- changes that need what is stored: their rows are locked and merged by tidegate
SELECT s.n, CAST(t.`id` AS CHAR), t.`status`, t.`version`, CAST(t.`gone` AS CHAR)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `orders` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
FOR UPDATE OF t;

-- merged rows that are there
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]')) AS s
STRAIGHT_JOIN `orders` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
SET t.`status` = s.c1,
  t.`version` = s.c2,
  t.`gone` = s.c3;

-- merged rows that are new
INSERT INTO `orders` (`id`, `status`, `version`, `gone`)
SELECT s.c0, s.c1, s.c2, s.c3
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]')) AS s;
