-- AlterTable
ALTER TABLE "report_mailboxes" ADD COLUMN     "confirmed_on_sending" BOOLEAN NOT NULL DEFAULT false;
