-- created if it is missing
CREATE TABLE IF NOT EXISTS `states` (
  `id` BIGINT NOT NULL,
  `state` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `opened` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  `version` BIGINT NULL,
  `__tidegate_sequence_state` BIGINT NULL,
  `__tidegate_sequence_opened` BIGINT NULL,
  PRIMARY KEY (`id`)
) ENGINE = InnoDB;

-- changes that need what is stored: their rows are locked and merged by tidegate
SELECT s.n, CAST(t.`id` AS CHAR), t.`state`, t.`opened`, CAST(t.`version` AS CHAR), CAST(t.`__tidegate_sequence_state` AS CHAR), CAST(t.`__tidegate_sequence_opened` AS CHAR)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `states` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
FOR UPDATE OF t;

-- merged rows that are there
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]')) AS s
STRAIGHT_JOIN `states` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED)
SET t.`state` = s.c1,
  t.`opened` = s.c2,
  t.`version` = s.c3,
  t.`__tidegate_sequence_state` = s.c4,
  t.`__tidegate_sequence_opened` = s.c5;

-- merged rows that are new
INSERT INTO `states` (`id`, `state`, `opened`, `version`, `__tidegate_sequence_state`, `__tidegate_sequence_opened`)
SELECT s.c0, s.c1, s.c2, s.c3, s.c4, s.c5
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]', c2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[2]', c3 LONGTEXT CHARACTER SET utf8mb4 PATH '$[3]', c4 LONGTEXT CHARACTER SET utf8mb4 PATH '$[4]', c5 LONGTEXT CHARACTER SET utf8mb4 PATH '$[5]')) AS s;

-- merged rows that go
DELETE t FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]')) AS s
STRAIGHT_JOIN `states` AS t FORCE INDEX (PRIMARY) ON t.`id` = CAST(s.c0 AS SIGNED);
