-- created if it is missing
CREATE TABLE IF NOT EXISTS "states" (
  "id" bigint NOT NULL,
  "state" text,
  "opened" text,
  "version" bigint,
  "__tidegate_sequence_state" bigint,
  "__tidegate_sequence_opened" bigint,
  PRIMARY KEY ("id")
);

-- changes that lack nothing
INSERT INTO "states" AS t ("id", "state", "opened", "version", "__tidegate_sequence_state", "__tidegate_sequence_opened")
SELECT s."id", s."state", s."opened", s."version", s."__tidegate_sequence_state", s."__tidegate_sequence_opened"
FROM unnest($1::int8[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::int8[]) AS s ("id", "state", "opened", "version", "__tidegate_sequence_state", "__tidegate_sequence_opened")
ON CONFLICT ("id") DO UPDATE SET
  "state" = CASE WHEN EXCLUDED."state" IS NOT NULL AND ((t."state" IS NULL AND t."__tidegate_sequence_state" IS NULL) OR (t."__tidegate_sequence_state" IS NULL OR EXCLUDED."__tidegate_sequence_state" >= t."__tidegate_sequence_state")) THEN EXCLUDED."state" ELSE t."state" END,
  "opened" = CASE WHEN (EXCLUDED."opened" IS NOT NULL OR EXCLUDED."__tidegate_sequence_opened" IS NOT NULL) AND ((t."opened" IS NULL AND t."__tidegate_sequence_opened" IS NULL) OR (t."__tidegate_sequence_opened" IS NOT NULL AND (EXCLUDED."__tidegate_sequence_opened" IS NULL OR t."__tidegate_sequence_opened" > EXCLUDED."__tidegate_sequence_opened"))) THEN EXCLUDED."opened" ELSE t."opened" END,
  "version" = CASE WHEN (t."version" IS NULL OR EXCLUDED."version" >= t."version") THEN EXCLUDED."version" ELSE t."version" END,
  "__tidegate_sequence_state" = CASE WHEN EXCLUDED."state" IS NOT NULL AND ((t."state" IS NULL AND t."__tidegate_sequence_state" IS NULL) OR (t."__tidegate_sequence_state" IS NULL OR EXCLUDED."__tidegate_sequence_state" >= t."__tidegate_sequence_state")) THEN EXCLUDED."__tidegate_sequence_state" ELSE t."__tidegate_sequence_state" END,
  "__tidegate_sequence_opened" = CASE WHEN (EXCLUDED."opened" IS NOT NULL OR EXCLUDED."__tidegate_sequence_opened" IS NOT NULL) AND ((t."opened" IS NULL AND t."__tidegate_sequence_opened" IS NULL) OR (t."__tidegate_sequence_opened" IS NOT NULL AND (EXCLUDED."__tidegate_sequence_opened" IS NULL OR t."__tidegate_sequence_opened" > EXCLUDED."__tidegate_sequence_opened"))) THEN EXCLUDED."__tidegate_sequence_opened" ELSE t."__tidegate_sequence_opened" END
WHERE (EXCLUDED."state" IS NOT NULL AND ((t."state" IS NULL AND t."__tidegate_sequence_state" IS NULL) OR (t."__tidegate_sequence_state" IS NULL OR EXCLUDED."__tidegate_sequence_state" >= t."__tidegate_sequence_state"))) OR ((EXCLUDED."opened" IS NOT NULL OR EXCLUDED."__tidegate_sequence_opened" IS NOT NULL) AND ((t."opened" IS NULL AND t."__tidegate_sequence_opened" IS NULL) OR (t."__tidegate_sequence_opened" IS NOT NULL AND (EXCLUDED."__tidegate_sequence_opened" IS NULL OR t."__tidegate_sequence_opened" > EXCLUDED."__tidegate_sequence_opened")))) OR (t."version" IS NULL OR EXCLUDED."version" >= t."version");

-- before a patch, a retract or a delete: lock
SELECT s."#"::text
FROM unnest($1::int8[]) WITH ORDINALITY AS s ("id", "#")
JOIN "states" AS t ON t."id" = s."id"
ORDER BY s."#"
FOR NO KEY UPDATE OF t;

-- rows that are there: merge
UPDATE "states" AS t SET
  "state" = CASE WHEN s."state?" AND ((t."state" IS NULL AND t."__tidegate_sequence_state" IS NULL) OR (t."__tidegate_sequence_state" IS NULL OR s."__tidegate_sequence_state" >= t."__tidegate_sequence_state")) THEN s."state" ELSE t."state" END,
  "opened" = CASE WHEN s."opened?" AND ((t."opened" IS NULL AND t."__tidegate_sequence_opened" IS NULL) OR (t."__tidegate_sequence_opened" IS NOT NULL AND (s."__tidegate_sequence_opened" IS NULL OR t."__tidegate_sequence_opened" > s."__tidegate_sequence_opened"))) THEN s."opened" ELSE t."opened" END,
  "version" = CASE WHEN s."version?" AND (t."version" IS NULL OR s."version" >= t."version") THEN s."version" ELSE t."version" END,
  "__tidegate_sequence_state" = CASE WHEN s."state?" AND ((t."state" IS NULL AND t."__tidegate_sequence_state" IS NULL) OR (t."__tidegate_sequence_state" IS NULL OR s."__tidegate_sequence_state" >= t."__tidegate_sequence_state")) THEN s."__tidegate_sequence_state" ELSE t."__tidegate_sequence_state" END,
  "__tidegate_sequence_opened" = CASE WHEN s."opened?" AND ((t."opened" IS NULL AND t."__tidegate_sequence_opened" IS NULL) OR (t."__tidegate_sequence_opened" IS NOT NULL AND (s."__tidegate_sequence_opened" IS NULL OR t."__tidegate_sequence_opened" > s."__tidegate_sequence_opened"))) THEN s."__tidegate_sequence_opened" ELSE t."__tidegate_sequence_opened" END
FROM unnest($1::int8[], $2::bool[], $3::text[], $4::bool[], $5::int8[], $6::text[], $7::int8[], $8::bool[], $9::int8[], $10::bool[]) AS s ("id", "adds?", "state", "state?", "__tidegate_sequence_state", "opened", "__tidegate_sequence_opened", "opened?", "version", "version?")
WHERE t."id" = s."id"
  AND ((s."state?" AND ((t."state" IS NULL AND t."__tidegate_sequence_state" IS NULL) OR (t."__tidegate_sequence_state" IS NULL OR s."__tidegate_sequence_state" >= t."__tidegate_sequence_state"))) OR (s."opened?" AND ((t."opened" IS NULL AND t."__tidegate_sequence_opened" IS NULL) OR (t."__tidegate_sequence_opened" IS NOT NULL AND (s."__tidegate_sequence_opened" IS NULL OR t."__tidegate_sequence_opened" > s."__tidegate_sequence_opened")))) OR (s."version?" AND (t."version" IS NULL OR s."version" >= t."version")));

-- rows that are not there
INSERT INTO "states" AS t ("id", "state", "opened", "version", "__tidegate_sequence_state", "__tidegate_sequence_opened")
SELECT s."id", s."state", s."opened", s."version", s."__tidegate_sequence_state", s."__tidegate_sequence_opened"
FROM unnest($1::int8[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::int8[]) AS s ("id", "state", "opened", "version", "__tidegate_sequence_state", "__tidegate_sequence_opened")
ON CONFLICT ("id") DO NOTHING;
