-- CreateEnum
CREATE TYPE "conflict_degree" AS ENUM ('none', 'soft');

-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "conflict_check" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "conflict_check" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "reported_person_name" TEXT;

-- CreateTable
CREATE TABLE "conflict_answers" (
    "incident_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "answer" "conflict_degree",
    "answered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conflict_answers_pkey" PRIMARY KEY ("incident_id","user_id")
);

-- CreateTable
CREATE TABLE "conflict_bypasses" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "incident_id" UUID NOT NULL,
    "user_id" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reminded_at" TIMESTAMPTZ(3),

    CONSTRAINT "conflict_bypasses_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conflict_reviews" (
    "bypass_id" UUID NOT NULL,
    "reviewer_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conflict_reviews_pkey" PRIMARY KEY ("bypass_id","reviewer_id")
);

-- CreateIndex
CREATE INDEX "conflict_answers_user_id_idx" ON "conflict_answers"("user_id");

-- CreateIndex
CREATE INDEX "conflict_bypasses_incident_id_idx" ON "conflict_bypasses"("incident_id");

-- CreateIndex
CREATE INDEX "conflict_bypasses_user_id_idx" ON "conflict_bypasses"("user_id");

-- CreateIndex
CREATE INDEX "conflict_reviews_reviewer_id_idx" ON "conflict_reviews"("reviewer_id");

-- AddForeignKey
ALTER TABLE "conflict_answers" ADD CONSTRAINT "conflict_answers_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conflict_answers" ADD CONSTRAINT "conflict_answers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conflict_bypasses" ADD CONSTRAINT "conflict_bypasses_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conflict_bypasses" ADD CONSTRAINT "conflict_bypasses_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conflict_reviews" ADD CONSTRAINT "conflict_reviews_bypass_id_fkey" FOREIGN KEY ("bypass_id") REFERENCES "conflict_bypasses"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conflict_reviews" ADD CONSTRAINT "conflict_reviews_reviewer_id_fkey" FOREIGN KEY ("reviewer_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Incidents that may not be open to a reader, by event.
CREATE INDEX "incidents_conflict_check" ON "incidents" ("event_id") WHERE "conflict_check";

ALTER TABLE "incidents" ADD CONSTRAINT "incidents_reported_person_name_length" CHECK (char_length("reported_person_name") <= 200);

-- Closes a new incident to its team until each member answered the conflict check, where the organization asks for it
-- (docs/decisions/065). Turning the option off later opens nothing.
CREATE OR REPLACE FUNCTION set_conflict_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT o.conflict_check INTO NEW.conflict_check FROM events e JOIN organizations o ON o.id = e.organization_id
    WHERE e.id = NEW.event_id AND o.conflict_check;
  NEW.conflict_check := coalesce(NEW.conflict_check, false);
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_conflict_check BEFORE INSERT ON incidents FOR EACH ROW EXECUTE FUNCTION set_conflict_check();
