-- The hash-chained audit log (docs/decisions/006). The hash of an entry covers the entry and the hash before it.
CREATE OR REPLACE FUNCTION hash_audit_entry(
  p_prev bytea, p_chain text, p_seq bigint, p_at timestamptz, p_actor uuid, p_action text, p_object_type text,
  p_object uuid, p_event uuid, p_right text, p_request text, p_data jsonb
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(p_prev || convert_to(jsonb_build_array(
    p_chain, p_seq, to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), p_actor, p_action,
    p_object_type, p_object, p_event, p_right, p_request, p_data)::text, 'UTF8'))
$$;

-- The incident that an entry is about; null for an entry about something else.
CREATE OR REPLACE FUNCTION audited_incident(p_object_type text, p_object uuid, p_data jsonb) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_object_type = 'incident' THEN p_object ELSE (p_data ->> 'incidentId')::uuid END
$$;

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

-- Entries are written once. The application has no other way to change the log; this stops mistakes.
CREATE OR REPLACE FUNCTION reject_audit_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are never changed';
END $$;

CREATE OR REPLACE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION reject_audit_entry_change();
