-- Nobody records who brought in whom any more.
DROP FUNCTION "set_added_through", "set_contact_named_through", "set_granted_through", "remember_former_team_member",
  "remember_former_organization_member", "forget_excluded_addresses", "list_people_behind_role", "list_people_behind",
  "list_people_behind_system_admin" CASCADE;

-- CreateEnum
CREATE TYPE "reader_access" AS ENUM ('none', 'numbers', 'full');

-- CreateEnum
CREATE TYPE "reader_source" AS ENUM ('reporter', 'team', 'recusal', 'outside', 'emergency');

-- CreateTable
CREATE TABLE "incident_readers" (
    "incident_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "access" "reader_access" NOT NULL,
    "source" "reader_source" NOT NULL,
    "by_id" UUID,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "opened_until" TIMESTAMPTZ(3),

    CONSTRAINT "incident_readers_pkey" PRIMARY KEY ("incident_id","user_id")
);

-- CreateIndex
CREATE INDEX "incident_readers_user_id_idx" ON "incident_readers"("user_id");

-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "listed" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "outside_person_id" UUID;

-- What was hidden from somebody has a list of all who could read or count it until now.
INSERT INTO "incident_readers" ("incident_id", "user_id", "access", "source", "by_id", "reason", "created_at", "opened_until")
SELECT "incident_id", "user_id", 'none', "source"::text::"reader_source", "excluded_by_id", "reason", "created_at", "opened_until" FROM "incident_exclusions";
INSERT INTO "incident_readers" ("incident_id", "user_id", "access", "source", "created_at")
SELECT "incident_id", "user_id", 'full', 'outside', "created_at" FROM "incident_referrals" ON CONFLICT DO NOTHING;
UPDATE "incidents" i SET "listed" = true, "outside_person_id" = (SELECT o."escalation_contact_id" FROM "events" e
  JOIN "organizations" o ON o."id" = e."organization_id" WHERE e."id" = i."event_id")
WHERE i."id" IN (SELECT "incident_id" FROM "incident_exclusions" WHERE "source" <> 'recusal');
INSERT INTO "incident_readers" ("incident_id", "user_id", "access", "source", "created_at")
SELECT DISTINCT ON (i."id", p."user_id") i."id", p."user_id", p."access"::"reader_access", 'team'::"reader_source", i."updated_at"
FROM "incidents" i JOIN "events" e ON e."id" = i."event_id"
CROSS JOIN LATERAL (
  SELECT r."user_id", 'full' AS "access" FROM "event_roles" r
    WHERE r."event_id" = e."id" AND r."role_name" IN ('Responder', 'Admin') AND NOT r."pending"
  UNION ALL SELECT u."id", 'full' FROM "users" u WHERE u."system_admin"
  UNION ALL SELECT m."user_id", 'numbers' FROM "organization_members" m WHERE m."organization_id" = e."organization_id" AND NOT m."pending"
) p JOIN "users" u ON u."id" = p."user_id" AND u."disabled_at" IS NULL
WHERE i."listed" ORDER BY i."id", p."user_id", p."access" = 'full' DESC
ON CONFLICT DO NOTHING;

-- The few rows that hide an incident from somebody.
CREATE INDEX "incident_readers_none" ON "incident_readers" ("incident_id") WHERE "access" = 'none';

-- Incidents with a list, which those who aren't on it must not see.
CREATE INDEX "incidents_listed" ON "incidents" ("event_id") WHERE "listed";

-- DropForeignKey
ALTER TABLE "former_organization_members" DROP CONSTRAINT "former_organization_members_organization_id_fkey";

-- DropForeignKey
ALTER TABLE "former_organization_members" DROP CONSTRAINT "former_organization_members_user_id_fkey";

-- DropForeignKey
ALTER TABLE "former_team_members" DROP CONSTRAINT "former_team_members_event_id_fkey";

-- DropForeignKey
ALTER TABLE "former_team_members" DROP CONSTRAINT "former_team_members_user_id_fkey";

-- DropForeignKey
ALTER TABLE "incident_referrals" DROP CONSTRAINT "incident_referrals_incident_id_fkey";

-- DropForeignKey
ALTER TABLE "incident_referrals" DROP CONSTRAINT "incident_referrals_user_id_fkey";

-- AlterTable
ALTER TABLE "users" DROP COLUMN "system_admin_through_ids",
DROP COLUMN "system_admin_until";

-- AlterTable
ALTER TABLE "organizations" DROP COLUMN "contact_named_at",
DROP COLUMN "contact_named_by_id",
DROP COLUMN "contact_named_through_ids";

-- AlterTable
ALTER TABLE "organization_members" DROP COLUMN "added_by_id",
DROP COLUMN "added_through_ids";

-- AlterTable
ALTER TABLE "event_roles" DROP COLUMN "granted_by_id",
DROP COLUMN "granted_through_ids";

-- DropTable
DROP TABLE "former_organization_members";

-- DropTable
DROP TABLE "former_team_members";

-- DropTable
DROP TABLE "incident_exclusions";

-- DropTable
DROP TABLE "incident_referrals";

-- DropEnum
DROP TYPE "exclusion_source";

-- Whether an incident has or had a list of its readers, or somebody must not see it (docs/decisions/058).
CREATE OR REPLACE FUNCTION is_incident_restricted(p_incident uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM incident_readers WHERE incident_id = p_incident AND (access = 'none' OR source IN ('reporter', 'team')))
$$;

-- Appends an entry and returns its number. The head of the chain is locked from here to the commit, so that the entries
-- of a chain follow one another without gaps. An entry about a restricted incident goes to the chain
-- of the system, so that its organization's chain has neither the entry nor a gap. What nobody did by name has the
-- quarter of an hour, as the report has: the time of an entry is no finer than its row's.
CREATE OR REPLACE FUNCTION append_audit_entry(
  p_chain text, p_actor uuid, p_action text, p_object_type text, p_object uuid, p_event uuid, p_right text,
  p_request text, p_data jsonb
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_seq bigint;
  v_prev bytea;
  v_at timestamptz(3);
  v_hash bytea;
BEGIN
  IF is_incident_restricted(audited_incident(p_object_type, p_object, p_data)) THEN
    p_chain := 'system';
  END IF;
  SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO audit_chains (chain, seq, head) VALUES (p_chain, 0, '') ON CONFLICT DO NOTHING;
    SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  END IF;
  v_at := date_trunc('milliseconds', clock_timestamp());
  IF p_actor IS NULL AND p_right IN ('anonymous', 'mailbox', 'letterbox') THEN
    v_at := date_bin('15 minutes', v_at, timestamptz '2000-01-01 00:00:00+00');
  END IF;
  v_hash := hash_audit_entry(v_prev, p_chain, v_seq, v_at, p_actor, p_action, p_object_type, p_object, p_event, p_right, p_request, p_data);
  INSERT INTO audit_entries (chain, seq, at, actor_id, action, object_type, object_id, event_id, by_right, request_id, data, prev_hash, hash)
  VALUES (p_chain, v_seq, v_at, p_actor, p_action, p_object_type, p_object, p_event, p_right, p_request, p_data, v_prev, v_hash);
  UPDATE audit_chains SET seq = v_seq, head = v_hash WHERE chain = p_chain;
  RETURN v_seq;
END $$;

create or replace trigger incident_readers_publish_insert after insert on incident_readers
  referencing new table as changed for each statement execute function publish_hidden_change();

create or replace trigger incident_readers_publish_update after update on incident_readers
  referencing new table as changed for each statement execute function publish_hidden_change();

create or replace trigger incident_readers_publish_delete after delete on incident_readers
  referencing old table as changed for each statement execute function publish_hidden_change();

create or replace function publish_new_list() returns trigger language plpgsql as $$
begin
  perform publish_live_message('hiddenChangedOrganizationIds', array(select organization_id from events where id = new.event_id));
  return null;
end $$;

create or replace trigger incidents_publish_new_list after insert or update of listed on incidents for each row
  when (new.listed) execute function publish_new_list();
