-- CreateEnum
CREATE TYPE "exclusion_source" AS ENUM ('reporter', 'team', 'recusal');

-- CreateTable
CREATE TABLE "incident_exclusions" (
    "incident_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "source" "exclusion_source" NOT NULL,
    "excluded_by_id" UUID,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "opened_until" TIMESTAMPTZ(3),

    CONSTRAINT "incident_exclusions_pkey" PRIMARY KEY ("incident_id","user_id")
);

-- CreateIndex
CREATE INDEX "incident_exclusions_user_id_idx" ON "incident_exclusions"("user_id");

-- AddForeignKey
ALTER TABLE "incident_exclusions" ADD CONSTRAINT "incident_exclusions_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incident_exclusions" ADD CONSTRAINT "incident_exclusions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Incidents hidden from a person are checked by their open streams before the next message, in silence.
create or replace function publish_hidden_change() returns trigger language plpgsql as $$
begin
  perform publish_live_message('hiddenChangedPersonIds', array(select distinct user_id from changed));
  return null;
end $$;

create or replace trigger incident_exclusions_publish_insert after insert on incident_exclusions
  referencing new table as changed for each statement execute function publish_hidden_change();

create or replace trigger incident_exclusions_publish_update after update on incident_exclusions
  referencing new table as changed for each statement execute function publish_hidden_change();

create or replace trigger incident_exclusions_publish_delete after delete on incident_exclusions
  referencing old table as changed for each statement execute function publish_hidden_change();

-- The incident that an entry is about; null for an entry about something else.
CREATE OR REPLACE FUNCTION audited_incident(p_object_type text, p_object uuid, p_data jsonb) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_object_type = 'incident' THEN p_object ELSE (p_data ->> 'incidentId')::uuid END
$$;

-- Appends an entry and returns its number. The head of the chain is locked from here to the commit, so that the entries
-- of a chain follow one another without gaps. An entry about an incident that is hidden from somebody goes to the chain
-- of the system, so that its organization's chain has neither the entry nor a gap.
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
  IF EXISTS (SELECT 1 FROM incident_exclusions WHERE incident_id = audited_incident(p_object_type, p_object, p_data)) THEN
    p_chain := 'system';
  END IF;
  SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO audit_chains (chain, seq, head) VALUES (p_chain, 0, '') ON CONFLICT DO NOTHING;
    SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  END IF;
  v_at := date_trunc('milliseconds', clock_timestamp());
  v_hash := hash_audit_entry(v_prev, p_chain, v_seq, v_at, p_actor, p_action, p_object_type, p_object, p_event, p_right, p_request, p_data);
  INSERT INTO audit_entries (chain, seq, at, actor_id, action, object_type, object_id, event_id, by_right, request_id, data, prev_hash, hash)
  VALUES (p_chain, v_seq, v_at, p_actor, p_action, p_object_type, p_object, p_event, p_right, p_request, p_data, v_prev, v_hash);
  UPDATE audit_chains SET seq = v_seq, head = v_hash WHERE chain = p_chain;
  RETURN v_seq;
END $$;
