-- created if it is missing
CREATE TABLE IF NOT EXISTS "orders" (
  "id" bigint NOT NULL,
  "status" text,
  "version" text,
  "gone" boolean NOT NULL DEFAULT false,
  PRIMARY KEY ("id")
);

-- created if it is missing
CREATE OR REPLACE VIEW "orders_live" AS
SELECT "id", "status", "version"
FROM "orders"
WHERE "gone" IS NOT TRUE;

-- whole rows and tombstones
INSERT INTO "orders" AS t ("id", "status", "version", "gone")
SELECT s."id", s."status", s."version", s."deleted?"
FROM unnest($1::int8[], $2::text[], $3::text[], $4::bool[]) AS s ("id", "status", "version", "deleted?")
ON CONFLICT ("id") DO UPDATE SET "status" = EXCLUDED."status", "version" = EXCLUDED."version", "gone" = EXCLUDED."gone"
WHERE CASE WHEN EXCLUDED."gone" THEN (t."version" IS NULL OR EXCLUDED."version" COLLATE "C" >= t."version") ELSE (EXCLUDED."version" IS NOT NULL AND (t."version" IS NULL OR EXCLUDED."version" COLLATE "C" > t."version")) END;

-- deletes that depend on the row
UPDATE "orders" AS t SET
  "version" = CASE WHEN s."has sequence?" AND (s."version" IS NOT NULL AND (t."version" IS NULL OR s."version" COLLATE "C" > t."version")) THEN s."version" ELSE t."version" END,
  "gone" = TRUE
FROM unnest($1::int8[], $2::bool[], $3::text[], $4::bool[], $5::text[], $6::bool[], $7::bool[], $8::bool[]) AS s ("id", "only this version?", "status", "status?", "version", "version?", "has sequence?", "ungated?")
WHERE t."id" = s."id"
  AND CASE
  WHEN s."only this version?" AND s."has sequence?" AND NOT (s."version" COLLATE "C" IS NOT DISTINCT FROM t."version") THEN (s."version" IS NOT NULL AND (t."version" IS NULL OR s."version" COLLATE "C" > t."version"))
  WHEN s."only this version?" THEN t."gone" IS NOT TRUE
    AND (NOT s."status?" OR t."status" IS NOT DISTINCT FROM s."status")
    AND (NOT s."version?" OR t."version" IS NOT DISTINCT FROM s."version")
  WHEN s."ungated?" THEN TRUE
  ELSE (t."version" IS NULL OR s."version" COLLATE "C" >= t."version")
END;

-- before a patch or a delete that depends on the row: lock
SELECT s."#"::text
FROM unnest($1::int8[]) WITH ORDINALITY AS s ("id", "#")
JOIN "orders" AS t ON t."id" = s."id"
ORDER BY s."#"
FOR NO KEY UPDATE OF t;

-- patches of rows that are there
UPDATE "orders" AS t SET
  "status" = CASE WHEN s."status?" THEN s."status" WHEN t."gone" THEN NULL ELSE t."status" END,
  "version" = s."version",
  "gone" = FALSE
FROM unnest($1::int8[], $2::bool[], $3::text[], $4::text[]) AS s ("id", "status?", "status", "version")
WHERE t."id" = s."id"
  AND (s."version" IS NOT NULL AND (t."version" IS NULL OR s."version" COLLATE "C" > t."version"));

-- patches of rows that are not there
INSERT INTO "orders" AS t ("id", "status", "version", "gone")
SELECT s."id", s."status", s."version", s."deleted?"
FROM unnest($1::int8[], $2::text[], $3::text[], $4::bool[]) AS s ("id", "status", "version", "deleted?")
ON CONFLICT ("id") DO NOTHING;
