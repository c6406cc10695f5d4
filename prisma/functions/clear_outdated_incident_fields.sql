-- A change of status settles what the reporter wrote after the incident was resolved or closed, unless it is undone and
-- restores that. The phone number belongs to the reporter: it goes when their account does.
CREATE OR REPLACE FUNCTION clear_outdated_incident_fields() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state IS DISTINCT FROM OLD.state AND NEW.message_after_closing = OLD.message_after_closing THEN
    NEW.message_after_closing := false;
  END IF;
  IF NEW.reporter_id IS NULL THEN
    NEW.contact_phone := NULL;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER clear_outdated_incident_fields BEFORE UPDATE ON incidents
  FOR EACH ROW EXECUTE FUNCTION clear_outdated_incident_fields();
