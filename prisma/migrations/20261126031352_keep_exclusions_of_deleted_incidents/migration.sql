-- DropForeignKey
ALTER TABLE "incident_exclusions" DROP CONSTRAINT "incident_exclusions_incident_id_fkey";
