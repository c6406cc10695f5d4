-- Remembers for each role on a response team who brought the person there, and through whom that person came
-- (docs/decisions/070). Whoever is on the team already keeps the first one, also with a new role, and so does whoever comes
-- back to it.
CREATE OR REPLACE FUNCTION set_granted_through() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE held event_roles; former former_team_members; of_organization uuid;
BEGIN
  SELECT * INTO held FROM event_roles r WHERE r.event_id = NEW.event_id AND r.user_id = NEW.user_id
    AND r.role_name IN ('Responder', 'Admin') AND NEW.role_name IN ('Responder', 'Admin') ORDER BY r.created_at LIMIT 1;
  IF FOUND THEN
    NEW.granted_by_id := held.granted_by_id;
    NEW.granted_through_ids := held.granted_through_ids;
    RETURN NEW;
  END IF;
  SELECT * INTO former FROM former_team_members f WHERE f.event_id = NEW.event_id AND f.user_id = NEW.user_id
    AND NEW.role_name IN ('Responder', 'Admin');
  IF FOUND THEN
    NEW.granted_by_id := former.granted_by_id;
    NEW.granted_through_ids := former.granted_through_ids;
  ELSIF NEW.granted_by_id IS NULL THEN
    NEW.granted_through_ids := '{}';
  ELSE
    of_organization := (SELECT e.organization_id FROM events e WHERE e.id = NEW.event_id);
    NEW.granted_through_ids := CASE WHEN NEW.granted_by_id = NEW.user_id
      THEN coalesce(list_people_behind(of_organization, NEW.user_id), list_people_behind_system_admin(NEW.user_id), '{}')
      ELSE coalesce(list_people_behind_role(NEW.event_id, NEW.granted_by_id), list_people_behind(of_organization, NEW.granted_by_id),
        list_people_behind_system_admin(NEW.granted_by_id), '{00000000-0000-0000-0000-000000000000}') END;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION list_people_behind_role(of_event uuid, person uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT array_remove(r.granted_by_id || r.granted_through_ids, NULL) FROM event_roles r
  WHERE r.event_id = of_event AND r.user_id = person AND r.role_name IN ('Responder', 'Admin') ORDER BY r.created_at LIMIT 1
$$;

CREATE OR REPLACE TRIGGER set_granted_through BEFORE INSERT ON event_roles
  FOR EACH ROW EXECUTE FUNCTION set_granted_through();
