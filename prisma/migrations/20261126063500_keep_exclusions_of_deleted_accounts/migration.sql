-- DropForeignKey
ALTER TABLE "incident_exclusions" DROP CONSTRAINT "incident_exclusions_user_id_fkey";
