-- Remembers when somebody left a team or an organization, and who had brought them in: whoever brings them back passes on
-- only what was hidden since then (docs/decisions/058). Invitations that weren't accepted don't count. Of a disabled account, it is when it was disabled. Nothing is
-- written where the role goes with the event, the organization or the account.
CREATE OR REPLACE FUNCTION remember_former_team_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO former_team_members AS f (event_id, user_id, granted_by_id, granted_through_ids, left_at)
  SELECT e.id, u.id, OLD.granted_by_id, OLD.granted_through_ids, least(now(), u.disabled_at)
  FROM events e, users u WHERE e.id = OLD.event_id AND u.id = OLD.user_id
    AND NOT EXISTS (SELECT 1 FROM event_roles r WHERE r.event_id = e.id AND r.user_id = u.id AND r.role_name IN ('Responder', 'Admin'))
  ON CONFLICT (event_id, user_id) DO UPDATE SET left_at = greatest(f.left_at, excluded.left_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER remember_former_team_member AFTER DELETE ON event_roles
  FOR EACH ROW WHEN (OLD.role_name IN ('Responder', 'Admin') AND NOT OLD.pending) EXECUTE FUNCTION remember_former_team_member();

CREATE OR REPLACE FUNCTION remember_former_organization_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The enum begins with the strongest role.
  IF OLD.pending OR (TG_OP = 'UPDATE' AND NEW.role <= OLD.role) THEN
    RETURN NULL;
  END IF;
  INSERT INTO former_organization_members AS f (organization_id, user_id, role, added_by_id, added_through_ids, left_at)
  SELECT o.id, u.id, OLD.role, OLD.added_by_id, OLD.added_through_ids, least(now(), u.disabled_at)
  FROM organizations o, users u WHERE o.id = OLD.organization_id AND u.id = OLD.user_id
  ON CONFLICT (organization_id, user_id, role) DO UPDATE SET left_at = greatest(f.left_at, excluded.left_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER remember_former_organization_member AFTER DELETE OR UPDATE OF role ON organization_members
  FOR EACH ROW EXECUTE FUNCTION remember_former_organization_member();
