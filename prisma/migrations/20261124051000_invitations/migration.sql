-- A role granted to somebody who belongs to other organizations only is an invitation until they accept it
-- (docs/decisions/033). Every role that exists now counts as accepted.

-- AlterTable
ALTER TABLE "event_roles" ADD COLUMN     "invited_by_id" UUID,
ADD COLUMN     "pending" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "organization_members" ADD COLUMN     "invited_by_id" UUID,
ADD COLUMN     "pending" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "invitation_mail_at" TIMESTAMPTZ(3);
