-- CreateEnum
CREATE TYPE "letterbox_kind" AS ENUM ('reported_person', 'witness');

-- AlterTable
ALTER TABLE "related_files" ADD COLUMN     "letterbox_id" UUID;

-- CreateTable
CREATE TABLE "letterboxes" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "incident_id" UUID NOT NULL,
    "kind" "letterbox_kind" NOT NULL,
    "label" TEXT NOT NULL,
    "code_hash" BYTEA,
    "created_by_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "letterboxes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "letters" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "letterbox_id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "from_holder" BOOLEAN NOT NULL DEFAULT false,
    "author_id" UUID,
    "body" TEXT,
    "is_appeal" BOOLEAN NOT NULL DEFAULT false,
    "reported" TEXT,
    "finding" TEXT,
    "measure" TEXT,
    "measure_ends_on" DATE,
    "appeal" TEXT,
    "read_on" DATE,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "letters_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "letterboxes_code_hash_key" ON "letterboxes"("code_hash");

-- CreateIndex
CREATE INDEX "letterboxes_incident_id_idx" ON "letterboxes"("incident_id");

-- CreateIndex
CREATE INDEX "letterboxes_created_by_id_idx" ON "letterboxes"("created_by_id");

-- CreateIndex
CREATE INDEX "letters_letterbox_id_seq_idx" ON "letters"("letterbox_id", "seq");

-- CreateIndex
CREATE INDEX "letters_author_id_idx" ON "letters"("author_id");

-- CreateIndex
CREATE INDEX "related_files_letterbox_id_idx" ON "related_files"("letterbox_id");

-- AddForeignKey
ALTER TABLE "letterboxes" ADD CONSTRAINT "letterboxes_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "letterboxes" ADD CONSTRAINT "letterboxes_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "letters" ADD CONSTRAINT "letters_letterbox_id_fkey" FOREIGN KEY ("letterbox_id") REFERENCES "letterboxes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "letters" ADD CONSTRAINT "letters_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "related_files" ADD CONSTRAINT "related_files_letterbox_id_fkey" FOREIGN KEY ("letterbox_id") REFERENCES "letterboxes"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- A file from a letterbox is never for the reporter.
ALTER TABLE "related_files" ADD CONSTRAINT "related_files_letterbox_hidden" CHECK ("letterbox_id" IS NULL OR NOT "visible_to_reporter");
