-- CreateEnum
CREATE TYPE "evidence_part" AS ENUM ('file', 'original');

-- CreateEnum
CREATE TYPE "evidence_fault" AS ENUM ('missing', 'damaged');

-- AlterTable
ALTER TABLE "related_files" ADD COLUMN "original_key_id" TEXT;

-- CreateTable
CREATE TABLE "evidence_problems" (
    "file_id" UUID NOT NULL,
    "part" "evidence_part" NOT NULL,
    "fault" "evidence_fault" NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "checked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "evidence_problems_pkey" PRIMARY KEY ("file_id","part")
);

-- CreateTable
CREATE TABLE "evidence_checks" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "last_file_id" UUID,
    "files" INTEGER NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "evidence_checks_pkey" PRIMARY KEY ("id"),
    -- One check of the whole installation.
    CONSTRAINT "evidence_checks_one_row" CHECK ("id" = 1)
);

-- CreateIndex
CREATE INDEX "evidence_problems_found_at_idx" ON "evidence_problems"("found_at");

-- AddForeignKey
ALTER TABLE "evidence_problems" ADD CONSTRAINT "evidence_problems_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "related_files"("id") ON DELETE CASCADE ON UPDATE CASCADE;
