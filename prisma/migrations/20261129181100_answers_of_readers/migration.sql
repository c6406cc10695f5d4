-- AlterTable
ALTER TABLE "incident_readers" ADD COLUMN     "answer" "conflict_degree";

-- DropIndex
DROP INDEX "incident_readers_user_id_idx";

-- CreateIndex
CREATE INDEX "incident_readers_user_id_source_idx" ON "incident_readers"("user_id", "source");

-- The rows that keep an incident from somebody, which are few beside those of answers.
CREATE INDEX "incident_readers_user_id_hidden" ON "incident_readers" ("user_id") WHERE "access" < 'ask';

-- The few who read what was passed on to them.
CREATE INDEX "incident_readers_outside" ON "incident_readers" ("incident_id") WHERE "source" = 'outside';

-- On a list, whoever hasn't answered the conflict check is still asked.
UPDATE "incident_readers" x SET "access" = 'ask' FROM "incidents" i
WHERE i."id" = x."incident_id" AND i."conflict_check" AND x."access" = 'full';
INSERT INTO "incident_readers" AS x ("incident_id", "user_id", "access", "source", "answer", "created_at")
SELECT a."incident_id", a."user_id", 'full', 'answer', a."answer", a."answered_at"
FROM "conflict_answers" a JOIN "incidents" i ON i."id" = a."incident_id"
WHERE a."answer" IS NOT NULL
  AND (NOT i."listed" OR EXISTS (SELECT 1 FROM "incident_readers" l WHERE l."incident_id" = a."incident_id" AND l."user_id" = a."user_id"))
ON CONFLICT ("incident_id", "user_id") DO UPDATE
  SET "access" = 'full', "answer" = EXCLUDED."answer", "created_at" = EXCLUDED."created_at" WHERE x."access" = 'ask';
INSERT INTO "incident_readers" AS x ("incident_id", "user_id", "access", "source", "opened_until")
SELECT a."incident_id", a."user_id", 'ask', 'emergency', a."answered_at" + interval '24 hours'
FROM "conflict_answers" a JOIN "incidents" i ON i."id" = a."incident_id"
WHERE a."answer" IS NULL AND a."answered_at" > now() - interval '24 hours'
  AND (NOT i."listed" OR EXISTS (SELECT 1 FROM "incident_readers" l WHERE l."incident_id" = a."incident_id" AND l."user_id" = a."user_id"))
ON CONFLICT ("incident_id", "user_id") DO UPDATE SET "opened_until" = EXCLUDED."opened_until" WHERE x."access" = 'ask';

-- DropTable
DROP TABLE "conflict_answers", "conflict_bypasses";
