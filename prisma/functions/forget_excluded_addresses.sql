-- The hashes of addresses of excluded people whose account is deleted go with the incident (docs/decisions/071).
CREATE OR REPLACE FUNCTION forget_excluded_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE incident_exclusions SET email_hash = NULL WHERE incident_id = OLD.id AND email_hash IS NOT NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER forget_excluded_addresses AFTER DELETE ON incidents
  FOR EACH ROW EXECUTE FUNCTION forget_excluded_addresses();
