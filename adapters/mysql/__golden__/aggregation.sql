-- created if it is missing
CREATE TABLE IF NOT EXISTS `totals` (
  `id` BIGINT NOT NULL,
  `n` BIGINT NULL,
  `factor` DECIMAL(18,4) NULL,
  `highest` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `tags` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `note` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `first_seen` DATE NULL,
  `__tidegate_deleted` BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (`id`)
) ENGINE = InnoDB;

-- created if it is missing
CREATE OR REPLACE VIEW `totals_live` AS
SELECT `id`, `n`, `factor`, `highest`, `tags`, `note`, `first_seen`
FROM `totals`
WHERE `__tidegate_deleted` IS NOT TRUE;

-- changes that need what is stored: their rows are locked and merged by tidegate
SELECT s.n, CAST(t.`id` AS CHAR), CAST(t.`n` AS CHAR), CAST(t.`factor` AS CHAR), t.`highest`, t.`tags`, t.`note`, CAST(t.`first_seen` AS CHAR), CAST(t.`__tidegate_deleted` AS CHAR)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `totals` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
FOR UPDATE OF t;

-- merged rows that are there
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]', c6 LONGTEXT CHARACTER SET utf8mb4 PATH '$[6]', c7 LONGTEXT CHARACTER SET utf8mb4 PATH '$[7]')) AS s
STRAIGHT_JOIN `totals` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
SET t.`n` = s.c1,
  t.`factor` = s.c2,
  t.`highest` = s.c3,
  t.`tags` = s.c4,
  t.`note` = s.c5,
  t.`first_seen` = s.c6,
  t.`__tidegate_deleted` = s.c7;

-- merged rows that are new
INSERT INTO `totals` (`id`, `n`, `factor`, `highest`, `tags`, `note`, `first_seen`, `__tidegate_deleted`)
SELECT s.c0, s.c1, s.c2, s.c3, s.c4, s.c5, s.c6, s.c7
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]', c6 LONGTEXT CHARACTER SET utf8mb4 PATH '$[6]', c7 LONGTEXT CHARACTER SET utf8mb4 PATH '$[7]')) AS s;
