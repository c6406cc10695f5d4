-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "summary" TEXT;

ALTER TABLE incidents ADD CONSTRAINT incidents_summary_length CHECK (char_length(summary) <= 500);
