-- AlterTable
ALTER TABLE "incident_referrals" ADD COLUMN     "for_review" BOOLEAN NOT NULL DEFAULT false;

create or replace trigger incident_referrals_publish_update after update on incident_referrals
  referencing new table as changed for each statement execute function publish_hidden_change();
