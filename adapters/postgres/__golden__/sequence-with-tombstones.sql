-- created if it is missing
CREATE TABLE IF NOT EXISTS "orders" (
  "id" bigint NOT NULL,
  "status" text,
  "day" date,
  "version" bigint,
  "__tidegate_deleted" boolean NOT NULL DEFAULT false,
  "__tidegate_deleted_at" timestamp(6) with time zone,
  PRIMARY KEY ("id")
);

-- created if it is missing
CREATE OR REPLACE VIEW "orders_live" AS
SELECT "id", "status", "day", "version"
FROM "orders"
WHERE "__tidegate_deleted" IS NOT TRUE;

-- whole rows and tombstones
INSERT INTO "orders" AS t ("id", "status", "day", "version", "__tidegate_deleted", "__tidegate_deleted_at")
SELECT s."id", s."status", s."day", s."version", s."deleted?", CASE WHEN s."deleted?" THEN now() END
FROM unnest($1::int8[], $2::text[], $3::date[], $4::int8[], $5::bool[]) AS s ("id", "status", "day", "version", "deleted?")
ON CONFLICT ("id") DO UPDATE SET "status" = EXCLUDED."status", "day" = EXCLUDED."day", "version" = EXCLUDED."version", "__tidegate_deleted" = EXCLUDED."__tidegate_deleted", "__tidegate_deleted_at" = CASE WHEN EXCLUDED."__tidegate_deleted" AND t."__tidegate_deleted" THEN COALESCE(t."__tidegate_deleted_at", EXCLUDED."__tidegate_deleted_at") ELSE EXCLUDED."__tidegate_deleted_at" END
WHERE CASE WHEN EXCLUDED."day" IS NOT DISTINCT FROM t."day" THEN (t."version" IS NULL OR EXCLUDED."version" >= t."version") ELSE (EXCLUDED."day" IS NOT NULL AND (t."day" IS NULL OR EXCLUDED."day" > t."day")) END;

-- deletes that depend on the row
UPDATE "orders" AS t SET
  "status" = NULL,
  "day" = CASE WHEN s."has sequence?" AND CASE WHEN s."day" IS NOT DISTINCT FROM t."day" THEN (s."version" IS NOT NULL AND (t."version" IS NULL OR s."version" > t."version")) ELSE (s."day" IS NOT NULL AND (t."day" IS NULL OR s."day" > t."day")) END THEN s."day" ELSE t."day" END,
  "version" = CASE WHEN s."has sequence?" AND CASE WHEN s."day" IS NOT DISTINCT FROM t."day" THEN (s."version" IS NOT NULL AND (t."version" IS NULL OR s."version" > t."version")) ELSE (s."day" IS NOT NULL AND (t."day" IS NULL OR s."day" > t."day")) END THEN s."version" ELSE t."version" END,
  "__tidegate_deleted" = TRUE,
  "__tidegate_deleted_at" = CASE WHEN t."__tidegate_deleted" THEN COALESCE(t."__tidegate_deleted_at", now()) ELSE now() END
FROM unnest($1::int8[], $2::bool[], $3::text[], $4::bool[], $5::date[], $6::bool[], $7::int8[], $8::bool[], $9::bool[], $10::bool[]) AS s ("id", "only this version?", "status", "status?", "day", "day?", "version", "version?", "has sequence?", "ungated?")
WHERE t."id" = s."id"
  AND CASE
  WHEN s."only this version?" AND s."has sequence?" AND NOT (s."day" IS NOT DISTINCT FROM t."day" AND s."version" IS NOT DISTINCT FROM t."version") THEN CASE WHEN s."day" IS NOT DISTINCT FROM t."day" THEN (s."version" IS NOT NULL AND (t."version" IS NULL OR s."version" > t."version")) ELSE (s."day" IS NOT NULL AND (t."day" IS NULL OR s."day" > t."day")) END
  WHEN s."only this version?" THEN t."__tidegate_deleted" IS NOT TRUE
    AND (NOT s."status?" OR t."status" IS NOT DISTINCT FROM s."status")
    AND (NOT s."day?" OR t."day" IS NOT DISTINCT FROM s."day")
    AND (NOT s."version?" OR t."version" IS NOT DISTINCT FROM s."version")
  WHEN s."ungated?" THEN TRUE
  ELSE CASE WHEN s."day" IS NOT DISTINCT FROM t."day" THEN (t."version" IS NULL OR s."version" >= t."version") ELSE (s."day" IS NOT NULL AND (t."day" IS NULL OR s."day" > t."day")) END
END;

-- before a patch or a delete that depends on the row: lock
SELECT s."#"::text
FROM unnest($1::int8[]) WITH ORDINALITY AS s ("id", "#")
JOIN "orders" AS t ON t."id" = s."id"
ORDER BY s."#"
FOR NO KEY UPDATE OF t;

-- patches of rows that are there
UPDATE "orders" AS t SET
  "status" = CASE WHEN s."status?" THEN s."status" WHEN t."__tidegate_deleted" THEN NULL ELSE t."status" END,
  "day" = s."day",
  "version" = s."version",
  "__tidegate_deleted" = FALSE,
  "__tidegate_deleted_at" = NULL
FROM unnest($1::int8[], $2::bool[], $3::text[], $4::date[], $5::int8[]) AS s ("id", "status?", "status", "day", "version")
WHERE t."id" = s."id"
  AND CASE WHEN s."day" IS NOT DISTINCT FROM t."day" THEN (t."version" IS NULL OR s."version" >= t."version") ELSE (s."day" IS NOT NULL AND (t."day" IS NULL OR s."day" > t."day")) END;

-- patches of rows that are not there
INSERT INTO "orders" AS t ("id", "status", "day", "version", "__tidegate_deleted", "__tidegate_deleted_at")
SELECT s."id", s."status", s."day", s."version", s."deleted?", CASE WHEN s."deleted?" THEN now() END
FROM unnest($1::int8[], $2::text[], $3::date[], $4::int8[], $5::bool[]) AS s ("id", "status", "day", "version", "deleted?")
ON CONFLICT ("id") DO NOTHING;
