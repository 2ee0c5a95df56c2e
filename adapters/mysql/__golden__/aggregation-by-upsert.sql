-- created if it is missing
CREATE TABLE IF NOT EXISTS `totals` (
  `id` BIGINT NOT NULL,
  `n` BIGINT NULL,
  `highest` DECIMAL(18,4) NULL,
  `lowest` DATE NULL,
  `note` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `opened` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `done` BOOLEAN NULL,
  PRIMARY KEY (`id`)
) ENGINE = InnoDB;

-- changes that add and lack nothing: merged by the statement
INSERT INTO `totals` (`id`, `n`, `highest`, `lowest`, `note`, `opened`, `done`)
SELECT s.c0, s.c1, s.c2, s.c3, s.c4, s.c5, s.c6
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]', c6 LONGTEXT CHARACTER SET utf8mb4 PATH '$[6]')) AS s
ON DUPLICATE KEY UPDATE
  `n` = COALESCE(`totals`.`n` + VALUES(`n`), `totals`.`n`, VALUES(`n`)),
  `highest` = COALESCE(GREATEST(`totals`.`highest`, VALUES(`highest`)), `totals`.`highest`, VALUES(`highest`)),
  `lowest` = COALESCE(LEAST(`totals`.`lowest`, VALUES(`lowest`)), `totals`.`lowest`, VALUES(`lowest`)),
  `note` = COALESCE(VALUES(`note`), `totals`.`note`),
  `opened` = COALESCE(`totals`.`opened`, VALUES(`opened`)),
  `done` = COALESCE(LEAST(`totals`.`done`, VALUES(`done`)), `totals`.`done`, VALUES(`done`));

-- changes that need what is stored: their rows are locked and merged by tidegate
SELECT s.n, CAST(t.`id` AS CHAR), CAST(t.`n` AS CHAR), CAST(t.`highest` AS CHAR), CAST(t.`lowest` AS CHAR), t.`note`, t.`opened`, CAST(t.`done` AS CHAR)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `totals` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
FOR UPDATE OF t;

-- merged rows that are there
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]', c6 LONGTEXT CHARACTER SET utf8mb4 PATH '$[6]')) AS s
STRAIGHT_JOIN `totals` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
SET t.`n` = s.c1,
  t.`highest` = s.c2,
  t.`lowest` = s.c3,
  t.`note` = s.c4,
  t.`opened` = s.c5,
  t.`done` = s.c6;

-- merged rows that are new
INSERT INTO `totals` (`id`, `n`, `highest`, `lowest`, `note`, `opened`, `done`)
SELECT s.c0, s.c1, s.c2, s.c3, s.c4, s.c5, s.c6
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]', c6 LONGTEXT CHARACTER SET utf8mb4 PATH '$[6]')) AS s;

-- merged rows that go
DELETE t FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `totals` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED);
