-- created if it is missing
CREATE TABLE IF NOT EXISTS "seen" (
  "id" bigint NOT NULL,
  "at" timestamp(3) without time zone,
  PRIMARY KEY ("id")
);

-- rows whose key is new
INSERT INTO "seen" AS t ("id", "at")
SELECT s."id", s."at"
FROM unnest($1::int8[], $2::timestamp[]) AS s ("id", "at")
ON CONFLICT ("id") DO NOTHING;
