-- created if it is missing
CREATE TABLE IF NOT EXISTS "profiles" (
  "id" bigint NOT NULL,
  "name" text,
  "mail" text,
  PRIMARY KEY ("id")
);

-- changes that lack nothing
INSERT INTO "profiles" AS t ("id", "name", "mail")
SELECT s."id", s."name", s."mail"
FROM unnest($1::int8[], $2::text[], $3::text[]) AS s ("id", "name", "mail")
ON CONFLICT ("id") DO UPDATE SET
  "name" = COALESCE(EXCLUDED."name", t."name"),
  "mail" = COALESCE(EXCLUDED."mail", t."mail")
WHERE EXCLUDED."name" IS NOT NULL OR EXCLUDED."mail" IS NOT NULL;

-- deletes
DELETE FROM "profiles" AS t
USING unnest($1::int8[]) AS s ("id")
WHERE t."id" = s."id";

-- before a patch, a retract or a delete: lock
SELECT s."#"::text
FROM unnest($1::int8[]) WITH ORDINALITY AS s ("id", "#")
JOIN "profiles" AS t ON t."id" = s."id"
ORDER BY s."#"
FOR NO KEY UPDATE OF t;

-- rows that are there: merge
UPDATE "profiles" AS t SET
  "name" = COALESCE(s."name", t."name"),
  "mail" = COALESCE(s."mail", t."mail")
FROM unnest($1::int8[], $2::bool[], $3::text[], $4::text[]) AS s ("id", "adds?", "name", "mail")
WHERE t."id" = s."id"
  AND (s."name" IS NOT NULL OR s."mail" IS NOT NULL);

-- rows that are not there
INSERT INTO "profiles" AS t ("id", "name", "mail")
SELECT s."id", s."name", s."mail"
FROM unnest($1::int8[], $2::text[], $3::text[]) AS s ("id", "name", "mail")
ON CONFLICT ("id") DO NOTHING;
