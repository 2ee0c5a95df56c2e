-- created if it is missing
CREATE TABLE IF NOT EXISTS "orders" (
  "order_id" bigint NOT NULL,
  "status" text,
  "amount" numeric(12,2),
  "attr" text,
  "order_ts" bigint,
  "attr_ts" bigint,
  "__tidegate_deleted" boolean NOT NULL DEFAULT false,
  PRIMARY KEY ("order_id")
);

-- created if it is missing
CREATE OR REPLACE VIEW "orders_live" AS
SELECT "order_id", "status", "amount", "attr", "order_ts", "attr_ts"
FROM "orders"
WHERE "__tidegate_deleted" IS NOT TRUE;

-- changes that lack nothing
INSERT INTO "orders" AS t ("order_id", "status", "amount", "attr", "order_ts", "attr_ts", "__tidegate_deleted")
SELECT s."order_id", s."status", s."amount", s."attr", s."order_ts", s."attr_ts", s."deleted?"
FROM unnest($1::int8[], $2::text[], $3::numeric[], $4::text[], $5::int8[], $6::int8[], $7::bool[]) AS s ("order_id", "status", "amount", "attr", "order_ts", "attr_ts", "deleted?")
ON CONFLICT ("order_id") DO UPDATE SET
  "status" = CASE WHEN EXCLUDED."order_ts" IS NOT NULL AND (t."order_ts" IS NULL OR EXCLUDED."order_ts" >= t."order_ts") THEN EXCLUDED."status" ELSE t."status" END,
  "amount" = CASE WHEN EXCLUDED."order_ts" IS NOT NULL AND (t."order_ts" IS NULL OR EXCLUDED."order_ts" >= t."order_ts") THEN EXCLUDED."amount" ELSE t."amount" END,
  "attr" = CASE WHEN EXCLUDED."attr_ts" IS NOT NULL AND (t."attr_ts" IS NULL OR EXCLUDED."attr_ts" >= t."attr_ts") THEN EXCLUDED."attr" ELSE t."attr" END,
  "order_ts" = CASE WHEN EXCLUDED."order_ts" IS NOT NULL AND (t."order_ts" IS NULL OR EXCLUDED."order_ts" >= t."order_ts") THEN EXCLUDED."order_ts" ELSE t."order_ts" END,
  "attr_ts" = CASE WHEN EXCLUDED."attr_ts" IS NOT NULL AND (t."attr_ts" IS NULL OR EXCLUDED."attr_ts" >= t."attr_ts") THEN EXCLUDED."attr_ts" ELSE t."attr_ts" END,
  "__tidegate_deleted" = (t."__tidegate_deleted" IS TRUE AND ((NOT EXCLUDED."order_ts" IS NOT NULL OR (t."order_ts" IS NULL OR EXCLUDED."order_ts" >= t."order_ts"))) IS NOT TRUE)
WHERE (EXCLUDED."order_ts" IS NOT NULL AND (t."order_ts" IS NULL OR EXCLUDED."order_ts" >= t."order_ts")) OR (EXCLUDED."attr_ts" IS NOT NULL AND (t."attr_ts" IS NULL OR EXCLUDED."attr_ts" >= t."attr_ts")) OR t."__tidegate_deleted";

-- before a patch, a retract or a delete: lock
SELECT s."#"::text
FROM unnest($1::int8[]) WITH ORDINALITY AS s ("order_id", "#")
JOIN "orders" AS t ON t."order_id" = s."order_id"
ORDER BY s."#"
FOR NO KEY UPDATE OF t;

-- rows that are there: remove
UPDATE "orders" AS t SET
  "status" = NULL,
  "amount" = NULL,
  "attr" = NULL,
  "order_ts" = CASE WHEN (s."order_ts" IS NOT NULL AND (t."order_ts" IS NULL OR s."order_ts" > t."order_ts")) THEN s."order_ts" ELSE t."order_ts" END,
  "attr_ts" = CASE WHEN (s."attr_ts" IS NOT NULL AND (t."attr_ts" IS NULL OR s."attr_ts" > t."attr_ts")) THEN s."attr_ts" ELSE t."attr_ts" END,
  "__tidegate_deleted" = TRUE
FROM unnest($1::int8[], $2::int8[], $3::int8[]) AS s ("order_id", "order_ts", "attr_ts")
WHERE t."order_id" = s."order_id"
  AND ((s."order_ts" IS NOT NULL AND (t."order_ts" IS NULL OR s."order_ts" >= t."order_ts")));

-- rows that are there: merge
UPDATE "orders" AS t SET
  "status" = CASE WHEN s."status?" AND (t."order_ts" IS NULL OR s."order_ts" >= t."order_ts") THEN s."status" ELSE t."status" END,
  "amount" = CASE WHEN s."amount?" AND (t."order_ts" IS NULL OR s."order_ts" >= t."order_ts") THEN s."amount" ELSE t."amount" END,
  "attr" = CASE WHEN s."attr?" AND (t."attr_ts" IS NULL OR s."attr_ts" >= t."attr_ts") THEN s."attr" ELSE t."attr" END,
  "order_ts" = CASE WHEN s."order_ts" IS NOT NULL AND (t."order_ts" IS NULL OR s."order_ts" >= t."order_ts") THEN s."order_ts" ELSE t."order_ts" END,
  "attr_ts" = CASE WHEN s."attr_ts" IS NOT NULL AND (t."attr_ts" IS NULL OR s."attr_ts" >= t."attr_ts") THEN s."attr_ts" ELSE t."attr_ts" END,
  "__tidegate_deleted" = (t."__tidegate_deleted" IS TRUE AND (s."adds?" AND (NOT s."order_ts" IS NOT NULL OR (t."order_ts" IS NULL OR s."order_ts" >= t."order_ts"))) IS NOT TRUE)
FROM unnest($1::int8[], $2::bool[], $3::text[], $4::int8[], $5::bool[], $6::numeric[], $7::bool[], $8::text[], $9::int8[], $10::bool[], $11::bool[]) AS s ("order_id", "adds?", "status", "order_ts", "status?", "amount", "amount?", "attr", "attr_ts", "attr?", "delete?")
WHERE t."order_id" = s."order_id"
  AND ((s."order_ts" IS NOT NULL AND (t."order_ts" IS NULL OR s."order_ts" >= t."order_ts")) OR (s."attr_ts" IS NOT NULL AND (t."attr_ts" IS NULL OR s."attr_ts" >= t."attr_ts")) OR t."__tidegate_deleted")
  AND (s."delete?" AND ((s."order_ts" IS NOT NULL AND (t."order_ts" IS NULL OR s."order_ts" >= t."order_ts")))) IS NOT TRUE;

-- rows that are not there
INSERT INTO "orders" AS t ("order_id", "status", "amount", "attr", "order_ts", "attr_ts", "__tidegate_deleted")
SELECT s."order_id", s."status", s."amount", s."attr", s."order_ts", s."attr_ts", s."deleted?"
FROM unnest($1::int8[], $2::text[], $3::numeric[], $4::text[], $5::int8[], $6::int8[], $7::bool[]) AS s ("order_id", "status", "amount", "attr", "order_ts", "attr_ts", "deleted?")
ON CONFLICT ("order_id") DO NOTHING;
