-- created if it is missing
CREATE TABLE IF NOT EXISTS `history` (
  `at` DATETIME(6) NULL,
  `delta` INT NULL
) ENGINE = InnoDB;

-- rows to append
INSERT INTO `history` (`at`, `delta`)
SELECT s.c0, s.c1
FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]', c1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]')) AS s;
