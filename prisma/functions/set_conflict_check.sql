-- Closes a new incident to its team until each member answered the conflict check, where the organization asks for it
-- (docs/decisions/065). Turning the option off later opens nothing.
CREATE OR REPLACE FUNCTION set_conflict_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT o.conflict_check INTO NEW.conflict_check FROM events e JOIN organizations o ON o.id = e.organization_id
    WHERE e.id = NEW.event_id AND o.conflict_check;
  NEW.conflict_check := coalesce(NEW.conflict_check, false);
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_conflict_check BEFORE INSERT ON incidents FOR EACH ROW EXECUTE FUNCTION set_conflict_check();
