-- created if it is missing
CREATE TABLE IF NOT EXISTS "social"."follows" (
  "who" bigint NOT NULL,
  "whom" bigint NOT NULL,
  PRIMARY KEY ("whom", "who")
);

-- whole rows
INSERT INTO "social"."follows" AS t ("who", "whom")
SELECT s."who", s."whom"
FROM unnest($1::int8[], $2::int8[]) AS s ("who", "whom")
ON CONFLICT ("whom", "who") DO NOTHING;

-- deletes
DELETE FROM "social"."follows" AS t
USING unnest($1::int8[], $2::int8[]) AS s ("whom", "who")
WHERE t."whom" = s."whom" AND t."who" = s."who";

-- before a patch or a delete that depends on the row: lock
SELECT s."#"::text
FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY AS s ("whom", "who", "#")
JOIN "social"."follows" AS t ON t."whom" = s."whom" AND t."who" = s."who"
ORDER BY s."#"
FOR NO KEY UPDATE OF t;

-- patches of rows that are there
UPDATE "social"."follows" AS t SET
  
FROM unnest($1::int8[], $2::int8[]) AS s ("whom", "who")
WHERE t."whom" = s."whom" AND t."who" = s."who";

-- patches of rows that are not there
INSERT INTO "social"."follows" AS t ("who", "whom")
SELECT s."who", s."whom"
FROM unnest($1::int8[], $2::int8[]) AS s ("who", "whom")
ON CONFLICT ("whom", "who") DO NOTHING;
