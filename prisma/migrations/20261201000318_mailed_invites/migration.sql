-- AlterTable
ALTER TABLE "invites" ADD COLUMN     "outside_person" BOOLEAN NOT NULL DEFAULT false;
