-- created if it is missing
CREATE TABLE IF NOT EXISTS "orders" (
  "id" bigint NOT NULL,
  "status" text,
  "amount" numeric(12,2),
  PRIMARY KEY ("id")
);

-- whole rows
INSERT INTO "orders" AS t ("id", "status", "amount")
SELECT s."id", s."status", s."amount"
FROM unnest($1::int8[], $2::text[], $3::numeric[]) AS s ("id", "status", "amount")
ON CONFLICT ("id") DO UPDATE SET "status" = EXCLUDED."status", "amount" = EXCLUDED."amount";

-- deletes
DELETE FROM "orders" AS t
WHERE t."id" = ANY ($1::int8[]);

-- before a patch or a delete that depends on the row: lock
SELECT s."#"::text
FROM unnest($1::int8[]) WITH ORDINALITY AS s ("id", "#")
JOIN "orders" AS t ON t."id" = s."id"
ORDER BY s."#"
FOR NO KEY UPDATE OF t;

-- patches of rows that are there
UPDATE "orders" AS t SET
  "status" = CASE WHEN s."status?" THEN s."status" ELSE t."status" END,
  "amount" = CASE WHEN s."amount?" THEN s."amount" ELSE t."amount" END
FROM unnest($1::int8[], $2::bool[], $3::text[], $4::bool[], $5::numeric[]) AS s ("id", "status?", "status", "amount?", "amount")
WHERE t."id" = s."id";

-- patches of rows that are not there
INSERT INTO "orders" AS t ("id", "status", "amount")
SELECT s."id", s."status", s."amount"
FROM unnest($1::int8[], $2::text[], $3::numeric[]) AS s ("id", "status", "amount")
ON CONFLICT ("id") DO NOTHING;
