-- created if it is missing
CREATE TABLE IF NOT EXISTS "totals" (
  "id" bigint NOT NULL,
  "n" bigint,
  "factor" numeric(18,4),
  "highest" text,
  "tags" text[],
  "note" text,
  "first_seen" date,
  "__tidegate_deleted" boolean NOT NULL DEFAULT false,
  PRIMARY KEY ("id")
);

-- created if it is missing
CREATE OR REPLACE VIEW "totals_live" AS
SELECT "id", "n", "factor", "highest", "tags", "note", "first_seen"
FROM "totals"
WHERE "__tidegate_deleted" IS NOT TRUE;

-- changes that lack nothing
INSERT INTO "totals" AS t ("id", "n", "factor", "highest", "tags", "note", "first_seen", "__tidegate_deleted")
SELECT s."id", s."n", s."factor", s."highest", s."tags"::text[], s."note", s."first_seen", s."deleted?"
FROM unnest($1::int8[], $2::int8[], $3::numeric[], $4::text[], $5::text[], $6::text[], $7::date[], $8::bool[]) AS s ("id", "n", "factor", "highest", "tags", "note", "first_seen", "deleted?")
ON CONFLICT ("id") DO UPDATE SET
  "n" = COALESCE(t."n" + EXCLUDED."n", t."n", EXCLUDED."n"),
  "factor" = CASE WHEN EXCLUDED."factor" IS NULL THEN t."factor" WHEN t."factor" IS NULL THEN EXCLUDED."factor" ELSE round(t."factor" * EXCLUDED."factor", 4) END,
  "highest" = GREATEST(t."highest", EXCLUDED."highest" COLLATE "C"),
  "tags" = CASE WHEN EXCLUDED."tags" IS NOT NULL IS NOT TRUE THEN t."tags" WHEN t."tags" IS NULL THEN EXCLUDED."tags" ELSE ARRAY(SELECT e FROM unnest(t."tags" || EXCLUDED."tags") WITH ORDINALITY AS u (e, i) GROUP BY e ORDER BY min(i)) END,
  "note" = EXCLUDED."note",
  "first_seen" = COALESCE(t."first_seen", EXCLUDED."first_seen"),
  "__tidegate_deleted" = (FALSE)
WHERE EXCLUDED."n" IS NOT NULL OR EXCLUDED."factor" IS NOT NULL OR EXCLUDED."highest" IS NOT NULL OR EXCLUDED."tags" IS NOT NULL OR TRUE OR EXCLUDED."first_seen" IS NOT NULL OR t."__tidegate_deleted";

-- before a patch, a retract or a delete: lock
SELECT s."#"::text
FROM unnest($1::int8[]) WITH ORDINALITY AS s ("id", "#")
JOIN "totals" AS t ON t."id" = s."id"
ORDER BY s."#"
FOR NO KEY UPDATE OF t;

-- rows that are there: merge
UPDATE "totals" AS t SET
  "n" = COALESCE(t."n" + s."n", t."n", s."n"),
  "factor" = CASE WHEN s."factor" IS NULL THEN t."factor" WHEN t."factor" IS NULL THEN CASE WHEN NOT s."factor divides?" THEN s."factor" END WHEN s."factor divides?" THEN sign(t."factor") * sign(s."factor") * div(abs(t."factor") * 20000 + abs(s."factor"), 2 * abs(s."factor")) * 0.0001 ELSE round(t."factor" * s."factor", 4) END,
  "highest" = GREATEST(t."highest", s."highest" COLLATE "C"),
  "tags" = CASE WHEN s."tags?" IS NOT TRUE THEN t."tags" WHEN t."tags" IS NULL THEN s."tags"::text[] ELSE CASE WHEN s."tags"::text[] IS NULL THEN CASE WHEN cardinality(s."tags removed"::text[]) > 0 THEN ARRAY(SELECT e FROM unnest(t."tags") WITH ORDINALITY AS u (e, i) WHERE NOT EXISTS (SELECT FROM unnest(s."tags removed"::text[]) AS r (e) WHERE r.e IS NOT DISTINCT FROM u.e) ORDER BY i) ELSE t."tags" END ELSE ARRAY(SELECT e FROM unnest(CASE WHEN cardinality(s."tags removed"::text[]) > 0 THEN ARRAY(SELECT e FROM unnest(t."tags") WITH ORDINALITY AS u (e, i) WHERE NOT EXISTS (SELECT FROM unnest(s."tags removed"::text[]) AS r (e) WHERE r.e IS NOT DISTINCT FROM u.e) ORDER BY i) ELSE t."tags" END || s."tags"::text[]) WITH ORDINALITY AS u (e, i) GROUP BY e ORDER BY min(i)) END END,
  "note" = CASE WHEN s."note?" THEN s."note" ELSE t."note" END,
  "first_seen" = COALESCE(t."first_seen", s."first_seen"),
  "__tidegate_deleted" = (t."__tidegate_deleted" IS TRUE AND (s."adds?") IS NOT TRUE)
FROM unnest($1::int8[], $2::bool[], $3::int8[], $4::numeric[], $5::bool[], $6::text[], $7::text[], $8::bool[], $9::text[], $10::text[], $11::bool[], $12::date[]) AS s ("id", "adds?", "n", "factor", "factor divides?", "highest", "tags", "tags?", "tags removed", "note", "note?", "first_seen")
WHERE t."id" = s."id"
  AND (s."n" IS NOT NULL OR s."factor" IS NOT NULL OR s."highest" IS NOT NULL OR s."tags?" OR s."note?" OR s."first_seen" IS NOT NULL OR t."__tidegate_deleted");

-- rows that are not there
INSERT INTO "totals" AS t ("id", "n", "factor", "highest", "tags", "note", "first_seen", "__tidegate_deleted")
SELECT s."id", s."n", s."factor", s."highest", s."tags"::text[], s."note", s."first_seen", s."deleted?"
FROM unnest($1::int8[], $2::int8[], $3::numeric[], $4::text[], $5::text[], $6::text[], $7::date[], $8::bool[]) AS s ("id", "n", "factor", "highest", "tags", "note", "first_seen", "deleted?")
ON CONFLICT ("id") DO NOTHING;
