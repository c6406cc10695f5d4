-- Remembers for each member of an organization, and for who named its escalation contact, through whom they came: whoever
-- brought them in, who brought those in, and so on (docs/decisions/066). It is stored, since people in between may leave.
CREATE OR REPLACE FUNCTION list_people_behind(of_organization uuid, person uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT array_remove(m.added_by_id || m.added_through_ids, NULL) FROM organization_members m
  WHERE m.organization_id = of_organization AND m.user_id = person
$$;

CREATE OR REPLACE FUNCTION list_people_behind_system_admin(person uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT u.system_admin_through_ids FROM users u WHERE u.id = person AND u.system_admin
$$;

-- Whoever adds members is one, or a SystemAdmin. Of an invite whose creator has left, nobody knows who was behind them.
-- Whoever comes back keeps who first brought them in.
CREATE OR REPLACE FUNCTION set_added_through() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE former former_organization_members;
BEGIN
  SELECT * INTO former FROM former_organization_members f WHERE TG_OP = 'INSERT'
    AND f.organization_id = NEW.organization_id AND f.user_id = NEW.user_id ORDER BY f.left_at LIMIT 1;
  IF FOUND THEN
    NEW.added_by_id := former.added_by_id;
    NEW.added_through_ids := former.added_through_ids;
    RETURN NEW;
  END IF;
  NEW.added_through_ids := CASE WHEN NEW.added_by_id IS NULL THEN '{}'
    WHEN NEW.added_by_id = NEW.user_id THEN coalesce(list_people_behind_system_admin(NEW.added_by_id), '{}')
    ELSE coalesce(list_people_behind(NEW.organization_id, NEW.added_by_id), list_people_behind_system_admin(NEW.added_by_id),
      '{00000000-0000-0000-0000-000000000000}') END;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_added_through BEFORE INSERT OR UPDATE OF added_by_id ON organization_members
  FOR EACH ROW EXECUTE FUNCTION set_added_through();

-- Also remembers who had brought in the contact by then: whoever removes them and adds them again isn't counted.
CREATE OR REPLACE FUNCTION set_contact_named_through() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.contact_named_through_ids := coalesce(list_people_behind(NEW.id, NEW.contact_named_by_id),
    list_people_behind_system_admin(NEW.contact_named_by_id), '{}') || coalesce((
    SELECT coalesce(m.added_by_id, '00000000-0000-0000-0000-000000000000') || m.added_through_ids FROM organization_members m
    WHERE m.organization_id = NEW.id AND m.user_id = NEW.escalation_contact_id), '{}');
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_contact_named_through BEFORE UPDATE OF contact_named_by_id ON organizations
  FOR EACH ROW EXECUTE FUNCTION set_contact_named_through();
