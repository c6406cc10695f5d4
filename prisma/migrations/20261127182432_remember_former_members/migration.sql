-- AlterTable
ALTER TABLE "users" ADD COLUMN     "system_admin_through_ids" UUID[] DEFAULT ARRAY[]::UUID[],
ADD COLUMN     "system_admin_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "former_organization_members" (
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "organization_role" NOT NULL,
    "added_by_id" UUID,
    "added_through_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "left_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "former_organization_members_pkey" PRIMARY KEY ("organization_id","user_id","role")
);

-- CreateTable
CREATE TABLE "former_team_members" (
    "event_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "granted_by_id" UUID,
    "granted_through_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "left_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "former_team_members_pkey" PRIMARY KEY ("event_id","user_id")
);

-- CreateIndex
CREATE INDEX "former_organization_members_user_id_idx" ON "former_organization_members"("user_id");

-- CreateIndex
CREATE INDEX "former_team_members_user_id_idx" ON "former_team_members"("user_id");

-- AddForeignKey
ALTER TABLE "former_organization_members" ADD CONSTRAINT "former_organization_members_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "former_organization_members" ADD CONSTRAINT "former_organization_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "former_team_members" ADD CONSTRAINT "former_team_members_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "former_team_members" ADD CONSTRAINT "former_team_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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

-- Also remembers who had brought in the contact by then: whoever removes them and adds them again isn't counted.
CREATE OR REPLACE FUNCTION set_contact_named_through() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.contact_named_through_ids := coalesce(list_people_behind(NEW.id, NEW.contact_named_by_id),
    list_people_behind_system_admin(NEW.contact_named_by_id), '{}') || coalesce((
    SELECT coalesce(m.added_by_id, '00000000-0000-0000-0000-000000000000') || m.added_through_ids FROM organization_members m
    WHERE m.organization_id = NEW.id AND m.user_id = NEW.escalation_contact_id), '{}');
  RETURN NEW;
END $$;

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
