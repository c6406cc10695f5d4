-- DropIndex
DROP INDEX "intakes_draft_hash_key";

-- AlterTable
ALTER TABLE "intakes" DROP COLUMN "draft_hash";
