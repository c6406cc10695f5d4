-- Whether an incident has or had a list of its readers, or somebody must not see it (docs/decisions/058).
CREATE OR REPLACE FUNCTION is_incident_restricted(p_incident uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM incident_readers WHERE incident_id = p_incident AND (access = 'none' OR source IN ('reporter', 'team')))
$$;

-- Audit entries are written once. The application has no other way to change the log; this stops mistakes.
CREATE OR REPLACE FUNCTION reject_audit_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are never changed';
END $$;

CREATE OR REPLACE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION reject_audit_entry_change();
