-- AlterTable
ALTER TABLE "users" ADD COLUMN     "time_zone" TEXT;

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "time_zone" TEXT;
