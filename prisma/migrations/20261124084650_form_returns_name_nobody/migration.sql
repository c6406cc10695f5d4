-- What waits was sealed with a key of the data folder, beside the name of its writer.
TRUNCATE "form_returns";

-- DropForeignKey
ALTER TABLE "form_returns" DROP CONSTRAINT "form_returns_user_id_fkey";

-- AlterTable
ALTER TABLE "form_returns" DROP COLUMN "user_id";
