-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "contact_named_at" TIMESTAMPTZ(3),
ADD COLUMN     "contact_named_by_id" UUID;

-- AlterTable
ALTER TABLE "organization_members" ADD COLUMN     "added_by_id" UUID;

-- Contacts from before: when they were named isn't known, but not later than the last change of the organization.
UPDATE "organizations" SET "contact_named_at" = "updated_at" WHERE "escalation_contact_id" IS NOT NULL;
