-- CreateEnum
CREATE TYPE "day_part" AS ENUM ('morning', 'afternoon', 'evening', 'night');

-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "incident_day_part" "day_part",
ADD COLUMN     "incident_on" DATE;

-- AlterTable
ALTER TABLE "report_mailboxes" ADD COLUMN     "hidden_by_name" BOOLEAN NOT NULL DEFAULT false;
