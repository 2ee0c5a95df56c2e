-- created if it is missing
CREATE TABLE IF NOT EXISTS "history" (
  "at" timestamp(6) with time zone,
  "delta" integer
);

-- rows
INSERT INTO "history" AS t ("at", "delta")
SELECT s."at", s."delta"
FROM unnest($1::timestamptz[], $2::int4[]) AS s ("at", "delta");
