-- created if it is missing
CREATE TABLE IF NOT EXISTS `seen` (
  `id` BIGINT NOT NULL,
  `at` DATETIME(3) NULL,
  PRIMARY KEY (`id`)
) ENGINE = InnoDB;

-- changes that need what is stored: their rows are locked and merged by tidegate
SELECT s.n, CAST(t.`id` AS CHAR), CAST(t.`at` AS CHAR)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `seen` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
FOR UPDATE OF t;

-- merged rows that are there
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]')) AS s
STRAIGHT_JOIN `seen` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
SET t.`at` = s.c1;

-- merged rows that are new
INSERT INTO `seen` (`id`, `at`)
SELECT s.c0, s.c1
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]')) AS s;

-- merged rows that go
DELETE t FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `seen` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED);
