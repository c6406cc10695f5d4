-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "escalation_contact_id" UUID;

-- CreateTable
CREATE TABLE "incident_referrals" (
    "incident_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "incident_referrals_pkey" PRIMARY KEY ("incident_id","user_id")
);

-- CreateIndex
CREATE INDEX "incident_referrals_user_id_idx" ON "incident_referrals"("user_id");

-- CreateIndex
CREATE INDEX "organizations_escalation_contact_id_idx" ON "organizations"("escalation_contact_id");

-- AddForeignKey
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_escalation_contact_id_fkey" FOREIGN KEY ("escalation_contact_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incident_referrals" ADD CONSTRAINT "incident_referrals_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incident_referrals" ADD CONSTRAINT "incident_referrals_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

create or replace trigger incident_referrals_publish_insert after insert on incident_referrals
  referencing new table as changed for each statement execute function publish_hidden_change();

create or replace trigger incident_referrals_publish_delete after delete on incident_referrals
  referencing old table as changed for each statement execute function publish_hidden_change();
