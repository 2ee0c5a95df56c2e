-- created if it is missing
CREATE TABLE IF NOT EXISTS `social`.`follows` (
  `who` BIGINT NOT NULL,
  `whom` BIGINT NOT NULL,
  PRIMARY KEY (`whom`, `who`)
) ENGINE = InnoDB;

-- complete images
INSERT INTO `social`.`follows` (`who`, `whom`)
SELECT s.c0, s.c1
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]')) AS s
ON DUPLICATE KEY UPDATE
  `whom` = VALUES(`whom`);

-- deletes
DELETE t FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]')) AS s
STRAIGHT_JOIN `social`.`follows` AS t FORCE INDEX (PRIMARY) ON t.`whom` = CAST(s.c1 AS SIGNED) AND t.`who` = CAST(s.c0 AS SIGNED);

-- changes that need what is stored: their rows are locked and merged by tidegate
SELECT s.n, CAST(t.`who` AS CHAR), CAST(t.`whom` AS CHAR)
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]')) AS s
STRAIGHT_JOIN `social`.`follows` AS t FORCE INDEX (PRIMARY) ON t.`whom` = CAST(s.c1 AS SIGNED) AND t.`who` = CAST(s.c0 AS SIGNED)
FOR UPDATE OF t;

-- merged rows that are new
INSERT INTO `social`.`follows` (`who`, `whom`)
SELECT s.c0, s.c1
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]')) AS s;
