-- Remembers of a deleted incident that it was under the conflict check, and who reported it, so that the audit log still
-- leaves out the reporter (docs/decisions/065).
CREATE OR REPLACE FUNCTION remember_deleted_incident_under_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted_incidents_under_check (incident_id, reporter_id) VALUES (OLD.id, OLD.reporter_id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER remember_deleted_incident_under_check AFTER DELETE ON incidents
  FOR EACH ROW WHEN (OLD.conflict_check) EXECUTE FUNCTION remember_deleted_incident_under_check();
