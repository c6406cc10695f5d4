-- The database of Heed. What a table and its columns hold is in prisma/schema.prisma; the current text of functions and
-- triggers is in prisma/functions. Foreign keys are at the end.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

--
-- Accounts
--

CREATE TYPE token_scope AS ENUM ('read', 'write');

CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  system_admin boolean NOT NULL DEFAULT false,
  avatar_key text,
  avatar_type text,
  avatar_size integer,
  locale text,
  single_keys boolean NOT NULL DEFAULT true,
  disabled_at timestamptz(3),
  email_verified_at timestamptz(3),
  invitation_mail_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX users_email_key ON users (email);
CREATE INDEX users_created_at_id_idx ON users (created_at DESC, id DESC);

-- People by name, and the search in names and addresses, for administration.
CREATE INDEX users_lower_name ON users (lower(name), id);
CREATE INDEX users_name_trgm ON users USING gin (name gin_trgm_ops);
CREATE INDEX users_email_trgm ON users USING gin (email gin_trgm_ops);

CREATE TABLE sessions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  token_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_used_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX sessions_token_hash_key ON sessions (token_hash);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);

CREATE TABLE password_resets (
  user_id uuid PRIMARY KEY,
  token_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX password_resets_token_hash_key ON password_resets (token_hash);

CREATE TABLE email_changes (
  user_id uuid PRIMARY KEY,
  new_email text NOT NULL,
  token_hash bytea,
  requested_by uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX email_changes_token_hash_key ON email_changes (token_hash);

CREATE TABLE email_verifications (
  user_id uuid PRIMARY KEY,
  email text NOT NULL,
  token_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX email_verifications_token_hash_key ON email_verifications (token_hash);

CREATE TABLE second_factors (
  user_id uuid PRIMARY KEY,
  secret bytea NOT NULL,
  confirmed_at timestamptz(3),
  last_step bigint,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE recovery_codes (
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE api_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  name text NOT NULL,
  token_hash bytea NOT NULL,
  scope token_scope NOT NULL,
  event_id uuid,
  expires_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX api_tokens_token_hash_key ON api_tokens (token_hash);
CREATE INDEX api_tokens_user_id_created_at_idx ON api_tokens (user_id, created_at DESC);
CREATE INDEX api_tokens_event_id_idx ON api_tokens (event_id);

CREATE TABLE known_devices (
  user_id uuid NOT NULL,
  device_hash bytea NOT NULL,
  first_seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (user_id, device_hash)
);

CREATE TABLE refused_forms (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  sealed bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX refused_forms_created_at_idx ON refused_forms (created_at);

-- Counters of limits and delays may be lost in a crash. Unlogged, they cost no write to the write-ahead log on each
-- request, and aren't in it.
CREATE UNLOGGED TABLE rate_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
CREATE INDEX rate_limits_expire_idx ON rate_limits (expire);

CREATE UNLOGGED TABLE sign_in_delays (
  key text PRIMARY KEY,
  failures integer NOT NULL DEFAULT 0,
  next_allowed timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX sign_in_delays_updated_at_idx ON sign_in_delays (updated_at);

CREATE UNLOGGED TABLE sign_in_retries (
  key text NOT NULL,
  name text NOT NULL,
  allowed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (key, name)
);
CREATE INDEX sign_in_retries_allowed_at_idx ON sign_in_retries (allowed_at);

--
-- Organizations and events
--

CREATE TYPE organization_role AS ENUM ('org_admin', 'org_viewer');
CREATE TYPE event_role_name AS ENUM ('Reporter', 'Responder', 'Admin');

CREATE TABLE organizations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  slug text NOT NULL,
  description text,
  website text,
  logo_key text,
  logo_type text,
  logo_size integer,
  require_second_factor boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX organizations_slug_key ON organizations (slug);
CREATE INDEX organizations_created_at_id_idx ON organizations (created_at DESC, id DESC);

CREATE TABLE organization_members (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role organization_role NOT NULL,
  pending boolean NOT NULL DEFAULT false,
  invited_by_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX organization_members_user_id_idx ON organization_members (user_id);

CREATE TABLE events (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL,
  name text NOT NULL,
  slug text NOT NULL,
  description text,
  start_date timestamptz(3),
  end_date timestamptz(3),
  website text,
  contact_email text,
  code_of_conduct text,
  logo_url text,
  logo_key text,
  logo_type text,
  logo_size integer,
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX events_slug_key ON events (slug);
CREATE INDEX events_organization_id_created_at_id_idx ON events (organization_id, created_at DESC, id DESC);

CREATE TABLE event_report_settings (
  event_id uuid PRIMARY KEY,
  show_team boolean NOT NULL DEFAULT false,
  emergency_contact text,
  exit_url text,
  answer_within_hours integer,
  next_update_within_days integer,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE event_roles (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  event_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role_name event_role_name NOT NULL,
  pending boolean NOT NULL DEFAULT false,
  invited_by_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX event_roles_user_id_event_id_idx ON event_roles (user_id, event_id);
CREATE UNIQUE INDEX event_roles_event_id_user_id_role_name_key ON event_roles (event_id, user_id, role_name);

CREATE TABLE invites (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  code text NOT NULL,
  organization_id uuid NOT NULL,
  event_id uuid,
  role text NOT NULL,
  initial boolean NOT NULL DEFAULT false,
  expires_at timestamptz(3),
  max_uses integer,
  use_count integer NOT NULL DEFAULT 0,
  disabled boolean NOT NULL DEFAULT false,
  note text,
  created_by_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT invites_uses_within_limit CHECK (max_uses IS NULL OR use_count <= max_uses),
  CONSTRAINT invites_max_uses_positive CHECK (max_uses IS NULL OR max_uses > 0)
);
CREATE UNIQUE INDEX invites_code_key ON invites (code);
CREATE INDEX invites_organization_id_created_at_idx ON invites (organization_id, created_at DESC);
CREATE INDEX invites_event_id_created_at_idx ON invites (event_id, created_at DESC);

CREATE TABLE invite_uses (
  invite_id uuid NOT NULL,
  user_id uuid NOT NULL,
  used_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (invite_id, user_id)
);
CREATE INDEX invite_uses_user_id_idx ON invite_uses (user_id);

--
-- Incidents
--

CREATE TYPE incident_state AS ENUM ('submitted', 'acknowledged', 'investigating', 'resolved', 'closed');
CREATE TYPE severity AS ENUM ('low', 'medium', 'high', 'critical');
CREATE TYPE contact_method AS ENUM ('email', 'phone', 'in_person', 'no_contact');
CREATE TYPE deadline_kind AS ENUM ('acknowledge', 'update');
CREATE TYPE message_sender AS ENUM ('team', 'reporter');

-- Counting by an index alone (docs/decisions/016) reads the table for each row on a page that changed since the last
-- vacuum. By default that waits for a fifth of the table, in a large one for weeks; a fiftieth comes soon.
CREATE TABLE incidents (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  event_id uuid NOT NULL,
  title text NOT NULL,
  description text NOT NULL,
  state incident_state NOT NULL DEFAULT 'submitted',
  severity severity,
  type text,
  contact_method contact_method NOT NULL DEFAULT 'email',
  incident_at timestamptz(3),
  location text,
  parties text,
  reporter_id uuid,
  assigned_responder_id uuid,
  resolution text,
  resolution_internal boolean NOT NULL DEFAULT false,
  first_response_at timestamptz(3),
  resolved_at timestamptz(3),
  escalated_at timestamptz(3),
  reopened_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  due_for deadline_kind,
  due_since timestamptz(3),
  due_at timestamptz(3),
  last_message_from message_sender,
  last_message_at timestamptz(3),
  CONSTRAINT incidents_title_length CHECK (char_length(title) BETWEEN 10 AND 70),
  CONSTRAINT incidents_resolved_at CHECK ((state IN ('resolved', 'closed')) = (resolved_at IS NOT NULL)),
  CONSTRAINT incidents_first_response CHECK (state = 'submitted' OR first_response_at IS NOT NULL)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX incidents_event_id_created_at_id_idx ON incidents (event_id, created_at DESC, id DESC);
CREATE INDEX incidents_event_id_state_created_at_id_idx ON incidents (event_id, state, created_at DESC, id DESC);
CREATE INDEX incidents_event_id_resolved_at_idx ON incidents (event_id, resolved_at);
CREATE INDEX incidents_created_at_id_idx ON incidents (created_at DESC, id DESC);
CREATE INDEX incidents_reporter_id_event_id_created_at_idx ON incidents (reporter_id, event_id, created_at DESC);
CREATE INDEX incidents_assigned_responder_id_event_id_created_at_idx ON incidents (assigned_responder_id, event_id, created_at DESC);

-- Sort by title, in any letter case.
CREATE INDEX incidents_event_title ON incidents (event_id, lower(title), id);

-- Search is literal and case-insensitive (ILIKE '%...%'); trigram indexes find the rows without reading all. New entries
-- wait in a list, and who finds it full moves all of them: with room for some thousand changes, a job does that each
-- minute (lib/incidents/word-indexes.ts), not those who write.
CREATE INDEX incidents_title_trgm ON incidents USING gin (title gin_trgm_ops) WITH (gin_pending_list_limit = 32768);
CREATE INDEX incidents_description_trgm ON incidents USING gin (description gin_trgm_ops) WITH (gin_pending_list_limit = 32768);

-- Reports that wait for a first response, for the response deadline.
CREATE INDEX incidents_awaiting_first_response ON incidents (created_at)
  WHERE state = 'submitted' AND escalated_at IS NULL;

-- Open incidents of a person, of nobody, and by who wrote last; and what is due, soonest first.
CREATE INDEX incidents_open_of_assignee ON incidents (assigned_responder_id, event_id, created_at DESC, id DESC)
  WHERE state IN ('submitted', 'acknowledged', 'investigating');
CREATE INDEX incidents_open_unassigned ON incidents (event_id, created_at DESC, id DESC)
  WHERE state IN ('submitted', 'acknowledged', 'investigating') AND assigned_responder_id IS NULL;
CREATE INDEX incidents_open_last_message_from ON incidents (event_id, last_message_from, created_at DESC, id DESC)
  WHERE state IN ('submitted', 'acknowledged', 'investigating') AND last_message_from IS NOT NULL AND reporter_id IS NOT NULL;
CREATE INDEX incidents_due ON incidents (event_id, due_at, id) WHERE due_at IS NOT NULL;

-- Which clock runs for an incident, since when, and until when (docs/decisions/020). A clock keeps the target that it
-- started with. The service says how long a first response may take where the event promises nothing
-- (RESPONSE_DEADLINE_HOURS). A report that went back to submitted waits for its first response again, counted from the
-- report. A day is 24 hours: the length of a calendar day depends on the time zone of the session.
CREATE OR REPLACE FUNCTION set_incident_deadline() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind deadline_kind;
  since timestamptz;
BEGIN
  IF NEW.state = 'submitted' THEN
    kind := 'acknowledge';
    since := NEW.created_at;
  ELSIF NEW.state < 'resolved' AND NEW.reporter_id IS NOT NULL AND NEW.last_message_from IS DISTINCT FROM 'team'
    AND (NEW.last_message_from IS NOT NULL OR NEW.contact_method <> 'no_contact') THEN
    kind := 'update';
    since := coalesce(greatest(NEW.first_response_at, NEW.reopened_at, NEW.last_message_at), NEW.created_at);
  END IF;
  IF kind IS NULL THEN
    NEW.due_for := NULL;
    NEW.due_since := NULL;
    NEW.due_at := NULL;
  ELSIF NEW.due_at IS NULL OR NEW.due_for IS DISTINCT FROM kind OR NEW.due_since IS DISTINCT FROM since THEN
    NEW.due_for := kind;
    NEW.due_since := since;
    SELECT since + CASE kind
        WHEN 'acknowledge' THEN make_interval(hours => coalesce(s.answer_within_hours,
          nullif(current_setting('heed.response_deadline_hours', true), '')::int, 24))
        ELSE make_interval(hours => 24 * coalesce(s.next_update_within_days, 7)) END
      INTO NEW.due_at
      FROM (SELECT NEW.event_id AS id) e LEFT JOIN event_report_settings s ON s.event_id = e.id;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_incident_deadline BEFORE INSERT OR UPDATE ON incidents FOR EACH ROW EXECUTE FUNCTION set_incident_deadline();

CREATE TABLE incident_history (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  incident_id uuid NOT NULL,
  event_id uuid NOT NULL,
  actor_id uuid,
  action text NOT NULL,
  from_value text,
  to_value text,
  object_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX incident_history_incident_id_created_at_idx ON incident_history (incident_id, created_at);
CREATE INDEX incident_history_event_id_actor_id_created_at_idx ON incident_history (event_id, actor_id, created_at DESC);

CREATE TABLE incident_access (
  id bigserial PRIMARY KEY,
  incident_id uuid NOT NULL,
  event_id uuid NOT NULL,
  actor_id uuid,
  kind text NOT NULL,
  object_id uuid,
  by_right text NOT NULL,
  reason text,
  at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX incident_access_incident_id_at_id_idx ON incident_access (incident_id, at DESC, id DESC);

CREATE TABLE idempotency_keys (
  key_hash bytea PRIMARY KEY,
  content_hash bytea NOT NULL,
  incident_id uuid NOT NULL,
  user_id uuid
);
CREATE UNIQUE INDEX idempotency_keys_incident_id_key ON idempotency_keys (incident_id);
CREATE INDEX idempotency_keys_user_id_idx ON idempotency_keys (user_id);

--
-- Notes and messages
--

CREATE TABLE team_notes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  incident_id uuid NOT NULL,
  author_id uuid,
  body text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX team_notes_author_id_created_at_idx ON team_notes (author_id, created_at DESC);
CREATE INDEX team_notes_incident_id_created_at_id_idx ON team_notes (incident_id, created_at, id);

CREATE TABLE team_note_revisions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  note_id uuid NOT NULL,
  body text NOT NULL,
  replaced_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX team_note_revisions_note_id_replaced_at_idx ON team_note_revisions (note_id, replaced_at);

CREATE TABLE team_note_mentions (
  note_id uuid NOT NULL,
  user_id uuid NOT NULL,
  PRIMARY KEY (note_id, user_id)
);
CREATE INDEX team_note_mentions_user_id_idx ON team_note_mentions (user_id);

CREATE TABLE reporter_messages (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  incident_id uuid NOT NULL,
  author_id uuid,
  body text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX reporter_messages_author_id_created_at_idx ON reporter_messages (author_id, created_at DESC);
CREATE INDEX reporter_messages_incident_id_created_at_id_idx ON reporter_messages (incident_id, created_at, id);

CREATE TABLE reporter_message_revisions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  message_id uuid NOT NULL,
  body text NOT NULL,
  replaced_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX reporter_message_revisions_message_id_replaced_at_idx ON reporter_message_revisions (message_id, replaced_at);

-- Who wrote the last message. Whoever reported is the reporter here, also where they are on the team as well.
CREATE OR REPLACE FUNCTION set_last_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE incidents SET last_message_at = NEW.created_at,
      last_message_from = CASE WHEN NEW.author_id = reporter_id THEN 'reporter' ELSE 'team' END::message_sender
    WHERE id = NEW.incident_id AND (last_message_at IS NULL OR last_message_at <= NEW.created_at);
  ELSE
    UPDATE incidents i SET (last_message_from, last_message_at) = (
      SELECT CASE WHEN m.author_id = i.reporter_id THEN 'reporter' ELSE 'team' END::message_sender, m.created_at
      FROM reporter_messages m WHERE m.incident_id = i.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1)
    WHERE i.id = OLD.incident_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER set_last_message AFTER INSERT OR DELETE ON reporter_messages
  FOR EACH ROW EXECUTE FUNCTION set_last_message();

--
-- Evidence
--

CREATE TYPE clean_state AS ENUM ('cleaned', 'clean', 'not_cleanable', 'not_inspected');
CREATE TYPE evidence_part AS ENUM ('file', 'original');
CREATE TYPE evidence_fault AS ENUM ('missing', 'damaged');

CREATE TABLE related_files (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  incident_id uuid NOT NULL,
  event_id uuid NOT NULL,
  filename text NOT NULL,
  mimetype text NOT NULL,
  size integer NOT NULL,
  sha256 text NOT NULL,
  copy_sha256 text,
  storage_key text NOT NULL,
  original_key text,
  original_size integer,
  original_key_id text,
  clean_state clean_state NOT NULL DEFAULT 'not_inspected',
  reveals text[] DEFAULT ARRAY[]::text[],
  description text,
  visible_to_reporter boolean NOT NULL DEFAULT true,
  uploaded_by_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX related_files_storage_key_key ON related_files (storage_key);
CREATE INDEX related_files_incident_id_created_at_idx ON related_files (incident_id, created_at);
CREATE UNIQUE INDEX related_files_original_key_key ON related_files (original_key);
CREATE INDEX related_files_event_id_uploaded_by_id_idx ON related_files (event_id, uploaded_by_id);

CREATE TABLE evidence_problems (
  file_id uuid NOT NULL,
  part evidence_part NOT NULL,
  fault evidence_fault NOT NULL,
  found_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  checked_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (file_id, part)
);
CREATE INDEX evidence_problems_found_at_idx ON evidence_problems (found_at);

-- One check of the whole installation.
CREATE TABLE evidence_checks (
  id integer PRIMARY KEY DEFAULT 1,
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at timestamptz(3),
  completed_at timestamptz(3),
  last_file_id uuid,
  files integer NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  CONSTRAINT evidence_checks_one_row CHECK (id = 1)
);

CREATE TABLE evidence_usage (
  event_id uuid PRIMARY KEY,
  bytes bigint NOT NULL DEFAULT 0
);

-- Bytes of evidence per event. Whoever adds to them locks the row, so that two uploads can't both be the last that fits.
CREATE OR REPLACE FUNCTION evidence_usage_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO evidence_usage AS u (event_id, bytes)
  SELECT event_id, sum(size::bigint + coalesce(original_size, 0)) FROM added GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id) DO UPDATE SET bytes = u.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION evidence_usage_remove() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE evidence_usage u SET bytes = greatest(0, u.bytes - r.bytes)
  FROM (SELECT event_id, sum(size::bigint + coalesce(original_size, 0)) AS bytes FROM removed GROUP BY event_id) r
  WHERE u.event_id = r.event_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER evidence_usage_on_insert AFTER INSERT ON related_files
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION evidence_usage_add();

CREATE OR REPLACE TRIGGER evidence_usage_on_delete AFTER DELETE ON related_files
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION evidence_usage_remove();

--
-- Inbox
--

CREATE TABLE pins (
  user_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  event_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (user_id, incident_id)
);
CREATE INDEX pins_user_id_event_id_idx ON pins (user_id, event_id);
CREATE INDEX pins_incident_id_idx ON pins (incident_id);

CREATE TABLE unread_markers (
  user_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (user_id, incident_id)
);
CREATE INDEX unread_markers_incident_id_idx ON unread_markers (incident_id);

CREATE TABLE saved_views (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX saved_views_user_id_name_key ON saved_views (user_id, name);

CREATE TABLE incident_counts (
  event_id uuid NOT NULL,
  slot smallint NOT NULL,
  submitted integer NOT NULL DEFAULT 0,
  acknowledged integer NOT NULL DEFAULT 0,
  investigating integer NOT NULL DEFAULT 0,
  resolved integer NOT NULL DEFAULT 0,
  closed integer NOT NULL DEFAULT 0,
  open_unassigned integer NOT NULL DEFAULT 0,
  open_escalated integer NOT NULL DEFAULT 0,
  open_critical integer NOT NULL DEFAULT 0,
  open_high integer NOT NULL DEFAULT 0,
  open_medium integer NOT NULL DEFAULT 0,
  open_low integer NOT NULL DEFAULT 0,
  changes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id, slot)
);

-- Counters of incidents: one row per event and slot. Slots keep simultaneous reports to one event from waiting for one
-- another; the sum over the slots is the number. Changes come one statement at a time, in the order of events, so that
-- no two transactions lock each other out. `changes` grows with whatever changes what a search by words or state finds
-- (docs/decisions/025).
CREATE OR REPLACE FUNCTION incident_counts_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO incident_counts AS c (event_id, slot, submitted, acknowledged, investigating, resolved, closed,
    open_unassigned, open_escalated, open_critical, open_high, open_medium, open_low, changes)
  SELECT event_id, pg_backend_pid() % 8,
    count(*) FILTER (WHERE state = 'submitted'), count(*) FILTER (WHERE state = 'acknowledged'),
    count(*) FILTER (WHERE state = 'investigating'), count(*) FILTER (WHERE state = 'resolved'),
    count(*) FILTER (WHERE state = 'closed'),
    count(*) FILTER (WHERE state < 'resolved' AND assigned_responder_id IS NULL),
    count(*) FILTER (WHERE state < 'resolved' AND escalated_at IS NOT NULL),
    count(*) FILTER (WHERE state < 'resolved' AND severity = 'critical'),
    count(*) FILTER (WHERE state < 'resolved' AND severity = 'high'),
    count(*) FILTER (WHERE state < 'resolved' AND severity = 'medium'),
    count(*) FILTER (WHERE state < 'resolved' AND severity = 'low'), 1
  FROM added GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id, slot) DO UPDATE SET
    submitted = c.submitted + excluded.submitted, acknowledged = c.acknowledged + excluded.acknowledged,
    investigating = c.investigating + excluded.investigating, resolved = c.resolved + excluded.resolved,
    closed = c.closed + excluded.closed,
    open_unassigned = c.open_unassigned + excluded.open_unassigned,
    open_escalated = c.open_escalated + excluded.open_escalated,
    open_critical = c.open_critical + excluded.open_critical, open_high = c.open_high + excluded.open_high,
    open_medium = c.open_medium + excluded.open_medium, open_low = c.open_low + excluded.open_low,
    changes = c.changes + 1;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION incident_counts_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO incident_counts AS c (event_id, slot, submitted, acknowledged, investigating, resolved, closed,
    open_unassigned, open_escalated, open_critical, open_high, open_medium, open_low, changes)
  SELECT event_id, pg_backend_pid() % 8,
    coalesce(sum(n) FILTER (WHERE state = 'submitted'), 0), coalesce(sum(n) FILTER (WHERE state = 'acknowledged'), 0),
    coalesce(sum(n) FILTER (WHERE state = 'investigating'), 0), coalesce(sum(n) FILTER (WHERE state = 'resolved'), 0),
    coalesce(sum(n) FILTER (WHERE state = 'closed'), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND nobodys), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND escalated), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND severity = 'critical'), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND severity = 'high'), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND severity = 'medium'), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND severity = 'low'), 0), 1
  FROM (
    SELECT event_id, state, severity, assigned_responder_id IS NULL AS nobodys, escalated_at IS NOT NULL AS escalated, 1 AS n,
      reporter_id, title, description FROM after_change
    UNION ALL
    SELECT event_id, state, severity, assigned_responder_id IS NULL, escalated_at IS NOT NULL, -1,
      reporter_id, title, description FROM before_change
  ) moved
  GROUP BY event_id
  HAVING count(DISTINCT (state, severity, nobodys, escalated, reporter_id, title, description)) > 1
  ORDER BY event_id
  ON CONFLICT (event_id, slot) DO UPDATE SET
    submitted = c.submitted + excluded.submitted, acknowledged = c.acknowledged + excluded.acknowledged,
    investigating = c.investigating + excluded.investigating, resolved = c.resolved + excluded.resolved,
    closed = c.closed + excluded.closed,
    open_unassigned = c.open_unassigned + excluded.open_unassigned,
    open_escalated = c.open_escalated + excluded.open_escalated,
    open_critical = c.open_critical + excluded.open_critical, open_high = c.open_high + excluded.open_high,
    open_medium = c.open_medium + excluded.open_medium, open_low = c.open_low + excluded.open_low,
    changes = c.changes + 1;
  RETURN NULL;
END $$;

-- When the event itself is deleted, its counters may be gone already; then there is nothing left to count.
CREATE OR REPLACE FUNCTION incident_counts_remove() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE incident_counts c SET
    submitted = c.submitted - g.submitted, acknowledged = c.acknowledged - g.acknowledged,
    investigating = c.investigating - g.investigating, resolved = c.resolved - g.resolved,
    closed = c.closed - g.closed,
    open_unassigned = c.open_unassigned - g.open_unassigned, open_escalated = c.open_escalated - g.open_escalated,
    open_critical = c.open_critical - g.open_critical, open_high = c.open_high - g.open_high,
    open_medium = c.open_medium - g.open_medium, open_low = c.open_low - g.open_low,
    changes = c.changes + 1
  FROM (
    SELECT event_id,
      count(*) FILTER (WHERE state = 'submitted') AS submitted, count(*) FILTER (WHERE state = 'acknowledged') AS acknowledged,
      count(*) FILTER (WHERE state = 'investigating') AS investigating, count(*) FILTER (WHERE state = 'resolved') AS resolved,
      count(*) FILTER (WHERE state = 'closed') AS closed,
      count(*) FILTER (WHERE state < 'resolved' AND assigned_responder_id IS NULL) AS open_unassigned,
      count(*) FILTER (WHERE state < 'resolved' AND escalated_at IS NOT NULL) AS open_escalated,
      count(*) FILTER (WHERE state < 'resolved' AND severity = 'critical') AS open_critical,
      count(*) FILTER (WHERE state < 'resolved' AND severity = 'high') AS open_high,
      count(*) FILTER (WHERE state < 'resolved' AND severity = 'medium') AS open_medium,
      count(*) FILTER (WHERE state < 'resolved' AND severity = 'low') AS open_low
    FROM removed GROUP BY event_id
  ) g
  WHERE c.event_id = g.event_id
    AND c.slot = (SELECT min(slot) FROM incident_counts x WHERE x.event_id = g.event_id);
  RETURN NULL;
END $$;

-- A search finds names of reporters, too.
CREATE OR REPLACE FUNCTION incident_counts_rename() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO incident_counts AS c (event_id, slot, changes)
  SELECT event_id, pg_backend_pid() % 8, 1 FROM incidents WHERE reporter_id = NEW.id GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id, slot) DO UPDATE SET changes = c.changes + 1;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER incident_counts_on_insert AFTER INSERT ON incidents
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_add();

CREATE OR REPLACE TRIGGER incident_counts_on_update AFTER UPDATE ON incidents
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_change();

CREATE OR REPLACE TRIGGER incident_counts_on_delete AFTER DELETE ON incidents
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_remove();

CREATE OR REPLACE TRIGGER incident_counts_on_rename AFTER UPDATE OF name ON users
  FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION incident_counts_rename();

--
-- Aggregates of reports
--

-- Rows come and go by the minute.
CREATE TABLE report_changes (
  id bigserial PRIMARY KEY,
  organization_id uuid NOT NULL,
  event_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  state incident_state NOT NULL,
  severity severity,
  escalated boolean NOT NULL,
  assigned boolean NOT NULL,
  first_response_at timestamptz(3),
  resolved_at timestamptz(3),
  weight smallint NOT NULL
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
CREATE INDEX report_changes_organization_id_idx ON report_changes (organization_id);

-- Rows are updated again and again: with room on each page, their indexes stay as they are.
CREATE TABLE report_aggregates (
  scope_id uuid NOT NULL,
  period text NOT NULL,
  start date NOT NULL,
  state text NOT NULL,
  severity text NOT NULL,
  reports integer NOT NULL,
  escalated integer NOT NULL,
  unassigned integer NOT NULL,
  resolved integer NOT NULL,
  resolution_ms bigint NOT NULL,
  PRIMARY KEY (scope_id, state, severity, period, start)
) WITH (fillfactor = 70);

CREATE TABLE report_histograms (
  scope_id uuid NOT NULL,
  period text NOT NULL,
  start date NOT NULL,
  state text NOT NULL,
  severity text NOT NULL,
  measure text NOT NULL,
  "values" integer[],
  counts integer[],
  PRIMARY KEY (scope_id, state, severity, period, start, measure)
);

-- Changes of the numbers of reports (docs/decisions/022): the old values count -1, the new ones 1. Triggers only append,
-- so that concurrent reports to one event don't wait for one another.
CREATE OR REPLACE FUNCTION report_changes_on_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, 1
  FROM added i JOIN events e ON e.id = i.event_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION report_changes_on_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, c.event_id, c.created_at, c.state, c.severity, c.escalated, c.assigned, c.first_response_at, c.resolved_at, c.weight
  FROM before_change b JOIN after_change a ON a.id = b.id
  CROSS JOIN LATERAL (VALUES
    (b.event_id, b.created_at, b.state, b.severity, b.escalated_at IS NOT NULL, b.assigned_responder_id IS NOT NULL, b.first_response_at, b.resolved_at, -1),
    (a.event_id, a.created_at, a.state, a.severity, a.escalated_at IS NOT NULL, a.assigned_responder_id IS NOT NULL, a.first_response_at, a.resolved_at, 1)
  ) c(event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  JOIN events e ON e.id = c.event_id
  WHERE (b.event_id, b.created_at, b.state, b.severity, b.escalated_at IS NULL, b.assigned_responder_id IS NULL, b.first_response_at, b.resolved_at)
    IS DISTINCT FROM
    (a.event_id, a.created_at, a.state, a.severity, a.escalated_at IS NULL, a.assigned_responder_id IS NULL, a.first_response_at, a.resolved_at);
  RETURN NULL;
END $$;

-- Finds no reports that are deleted with their event, since the event is gone by then. The next function records them.
CREATE OR REPLACE FUNCTION report_changes_on_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, -1
  FROM removed i JOIN events e ON e.id = i.event_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION report_changes_on_event_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A change in progress is counted before its report is deleted.
  PERFORM 1 FROM incidents WHERE event_id = OLD.id FOR UPDATE;
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT OLD.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, -1
  FROM incidents i WHERE i.event_id = OLD.id;
  DELETE FROM report_aggregates WHERE scope_id = OLD.id;
  DELETE FROM report_histograms WHERE scope_id = OLD.id;
  RETURN OLD;
END $$;

CREATE OR REPLACE FUNCTION report_aggregates_on_organization_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM report_changes WHERE organization_id = OLD.id;
  DELETE FROM report_aggregates WHERE scope_id = OLD.id;
  DELETE FROM report_histograms WHERE scope_id = OLD.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER report_changes_on_insert AFTER INSERT ON incidents
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_insert();

CREATE OR REPLACE TRIGGER report_changes_on_update AFTER UPDATE ON incidents
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_update();

CREATE OR REPLACE TRIGGER report_changes_on_delete AFTER DELETE ON incidents
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_delete();

CREATE OR REPLACE TRIGGER report_changes_on_event_delete BEFORE DELETE ON events
  FOR EACH ROW EXECUTE FUNCTION report_changes_on_event_delete();

CREATE OR REPLACE TRIGGER report_aggregates_on_organization_delete AFTER DELETE ON organizations
  FOR EACH ROW EXECUTE FUNCTION report_aggregates_on_organization_delete();

-- Tenths of an hour, rounded as the API rounds them: halves go up.
CREATE OR REPLACE FUNCTION tenths_of_hours(p_from timestamptz, p_to timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM p_to - p_from) / 360 + 0.5)::int
$$;

-- Months since the year 0, in UTC.
CREATE OR REPLACE FUNCTION month_number(p_at timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(year FROM p_at AT TIME ZONE 'UTC') * 12 + extract(month FROM p_at AT TIME ZONE 'UTC') - 1)::int
$$;

-- Moves up to `p_limit` changes into the aggregates (docs/decisions/022) and returns how many it moved. Those of the
-- oldest reports come first, so that changes that move together affect few days. One process does so at a time.
-- Aggregates and remaining changes add up at each moment, since both are written in one transaction.
--
-- Equal changes are added up before they are multiplied by days, months and scopes, and each histogram is merged on its
-- own. Single days of an event have no histograms: they have too few reports. An organization has one for all time, for
-- any state and severity.
CREATE OR REPLACE FUNCTION roll_up_report_changes(p_limit int) RETURNS bigint LANGUAGE plpgsql
  -- Affected rows are looked up, however many aggregates there are.
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_count bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(4833009);
  WITH changes AS MATERIALIZED (
    DELETE FROM report_changes WHERE id = ANY (ARRAY(SELECT id FROM report_changes ORDER BY created_at, id LIMIT p_limit)) RETURNING *
  ), grouped AS MATERIALIZED (
    SELECT organization_id, event_id, (created_at AT TIME ZONE 'UTC')::date AS day, state::text AS state,
      coalesce(severity::text, 'none') AS severity, escalated, resolved_at IS NULL AND NOT assigned AS unassigned,
      tenths_of_hours(created_at, first_response_at) AS first_response, tenths_of_hours(created_at, resolved_at) AS resolution,
      month_number(resolved_at) AS resolved, sum(weight) AS weight,
      sum(weight * round(extract(epoch FROM resolved_at - created_at) * 1000)::bigint) AS resolution_ms
    FROM changes GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  ), cells AS MATERIALIZED (
    SELECT s.scope_id, s.is_event, k.state, k.severity, p.period, p.start, a.weight, a.escalated, a.unassigned,
      a.resolution_ms, a.first_response, a.resolution, a.resolved
    FROM grouped a
    CROSS JOIN LATERAL (
      SELECT id, false FROM organizations WHERE id = a.organization_id UNION ALL SELECT id, true FROM events WHERE id = a.event_id
    ) s(scope_id, is_event)
    CROSS JOIN LATERAL (VALUES (a.state, a.severity), ('any', 'any')) k(state, severity)
    CROSS JOIN LATERAL (VALUES ('day', a.day), ('month', date_trunc('month', a.day::timestamp)::date)) p(period, start)
    WHERE a.weight <> 0 OR a.resolution_ms <> 0
  ), written_aggregates AS (
    INSERT INTO report_aggregates AS r (scope_id, state, severity, period, start, reports, escalated, unassigned, resolved, resolution_ms)
    SELECT scope_id, state, severity, period, start, sum(weight), coalesce(sum(weight) FILTER (WHERE escalated), 0),
      coalesce(sum(weight) FILTER (WHERE unassigned), 0), coalesce(sum(weight) FILTER (WHERE resolution IS NOT NULL), 0),
      coalesce(sum(resolution_ms), 0)
    FROM cells GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (scope_id, state, severity, period, start) DO UPDATE SET
      reports = r.reports + excluded.reports, escalated = r.escalated + excluded.escalated,
      unassigned = r.unassigned + excluded.unassigned, resolved = r.resolved + excluded.resolved,
      resolution_ms = r.resolution_ms + excluded.resolution_ms
  ), added_histograms AS MATERIALIZED (
    SELECT scope_id, state, severity, period, start, measure, array_agg(value) AS "values", array_agg(n) AS counts
    FROM (
      SELECT scope_id, state, severity, period, start, m.measure, m.value, sum(weight)::int AS n
      FROM (
        SELECT * FROM cells WHERE NOT (is_event AND period = 'day')
        UNION ALL
        SELECT scope_id, is_event, state, severity, 'all', DATE '0001-01-01', weight, escalated, unassigned, resolution_ms, first_response,
          resolution, resolved
        FROM cells WHERE period = 'month' AND NOT is_event AND state = 'any' AND severity = 'any'
      ) histogram_cells CROSS JOIN LATERAL (VALUES ('first_response', first_response), ('resolution', resolution), ('resolved', resolved)) m(measure, value)
      WHERE m.value IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) value_counts WHERE n <> 0 GROUP BY 1, 2, 3, 4, 5, 6
  ), written_histograms AS (
    INSERT INTO report_histograms AS r (scope_id, state, severity, period, start, measure, "values", counts)
    SELECT scope_id, state, severity, period, start, measure, b."values", b.counts
    FROM added_histograms m LEFT JOIN report_histograms s USING (scope_id, state, severity, period, start, measure)
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(value ORDER BY value), '{}') AS "values", coalesce(array_agg(n ORDER BY value), '{}') AS counts
      FROM (
        SELECT value, sum(n)::int AS n FROM (
          SELECT unnest(s."values") AS value, unnest(s.counts) AS n UNION ALL SELECT unnest(m."values"), unnest(m.counts)
        ) both_sides GROUP BY value HAVING sum(n) <> 0
      ) summed
    ) b
    ON CONFLICT (scope_id, state, severity, period, start, measure) DO UPDATE SET "values" = excluded."values", counts = excluded.counts
  )
  SELECT count(*) INTO v_count FROM changes;
  RETURN v_count;
END $$;

-- Where the two reports in the middle lie in different tenths, they are looked up.
CREATE INDEX incidents_tenths_to_first_response ON incidents (event_id, tenths_of_hours(created_at, first_response_at))
  WHERE first_response_at IS NOT NULL;
CREATE INDEX incidents_tenths_to_resolution ON incidents (event_id, tenths_of_hours(created_at, resolved_at))
  WHERE resolved_at IS NOT NULL;

--
-- Notifications and webhooks
--

CREATE TYPE mail_frequency AS ENUM ('off', 'now', 'hourly', 'daily');
CREATE TYPE delivery_state AS ENUM ('waiting', 'delivered', 'failed');

-- Rows are inserted and deleted all the time: vacuum runs often, so that reads don't scan dead ones.
CREATE TABLE outbox_events (
  id bigserial PRIMARY KEY,
  deduplication_id uuid NOT NULL DEFAULT gen_random_uuid(),
  at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  kind text NOT NULL,
  actor_id uuid,
  organization_id uuid NOT NULL,
  event_id uuid,
  incident_id uuid,
  person_ids uuid[] DEFAULT ARRAY[]::uuid[],
  state text,
  due_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  failures integer NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);

CREATE TABLE notifications (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  kind text NOT NULL,
  organization_id uuid,
  event_id uuid,
  incident_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  read_at timestamptz(3),
  digest_due timestamptz(3),
  mail_due timestamptz(3),
  mailed_at timestamptz(3),
  in_app boolean NOT NULL DEFAULT true,
  deduplication_id text NOT NULL
);
CREATE INDEX notifications_user_id_created_at_id_idx ON notifications (user_id, created_at DESC, id DESC);
CREATE INDEX notifications_incident_id_idx ON notifications (incident_id);
CREATE INDEX notifications_event_id_idx ON notifications (event_id);
CREATE INDEX notifications_organization_id_idx ON notifications (organization_id);
CREATE UNIQUE INDEX notifications_user_id_deduplication_id_key ON notifications (user_id, deduplication_id);

-- The unread count, what a digest takes along, and what waits to be mailed, and nothing else.
CREATE INDEX notifications_unread ON notifications (user_id) WHERE read_at IS NULL AND in_app;
CREATE INDEX notifications_digest ON notifications (digest_due, user_id) WHERE digest_due IS NOT NULL;
CREATE INDEX notifications_mail ON notifications (mail_due) WHERE mail_due IS NOT NULL;

CREATE TABLE notification_settings (
  user_id uuid NOT NULL,
  kind text NOT NULL,
  in_app boolean NOT NULL,
  mail mail_frequency NOT NULL,
  PRIMARY KEY (user_id, kind)
);

CREATE TABLE webhooks (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL,
  url text NOT NULL,
  secret bytea NOT NULL,
  kinds text[],
  description text,
  disabled_at timestamptz(3),
  disabled_reason text,
  failing_since timestamptz(3),
  created_by_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX webhooks_organization_id_created_at_idx ON webhooks (organization_id, created_at DESC);

CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  webhook_id uuid NOT NULL,
  kind text NOT NULL,
  payload jsonb NOT NULL,
  deduplication_id text NOT NULL,
  state delivery_state NOT NULL DEFAULT 'waiting',
  attempts integer NOT NULL DEFAULT 0,
  response_status integer,
  failure text,
  duration_ms integer,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  attempted_at timestamptz(3),
  delivered_at timestamptz(3)
);
CREATE INDEX webhook_deliveries_webhook_id_created_at_id_idx ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_created_at_idx ON webhook_deliveries (created_at);
CREATE UNIQUE INDEX webhook_deliveries_webhook_id_deduplication_id_key ON webhook_deliveries (webhook_id, deduplication_id);

--
-- Live streams
--

-- Announces what open live streams depend on: revoked sessions and tokens, and changed access. Every process checks those
-- streams as soon as the change is committed (docs/live.md). Triggers do it, since rows are also deleted with an account
-- or an event, and by the nightly cleanup.

-- What lib/live/announce.ts reads. PostgreSQL takes at most 8000 bytes in one notification.
create or replace function publish_live_message(member text, ids uuid[]) returns void language sql as $$
  select pg_notify('heed_live', (jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000),
    'change', null, 'notifiedPersonIds', '[]'::jsonb, 'accessChangedPersonIds', '[]'::jsonb) || jsonb_build_object(member, jsonb_agg(part.id)))::text)
  from (select id, (place - 1) / 90 as number from unnest(ids) with ordinality as given(id, place)) part
  group by part.number
$$;

create or replace function publish_revoked_access() returns trigger language plpgsql as $$
begin
  perform publish_live_message('revokedIds', array(select id from deleted));
  return null;
end $$;

create or replace trigger sessions_publish_revoked_access after delete on sessions
  referencing old table as deleted for each statement execute function publish_revoked_access();

create or replace trigger api_tokens_publish_revoked_access after delete on api_tokens
  referencing old table as deleted for each statement execute function publish_revoked_access();

create or replace function publish_user_access_change() returns trigger language plpgsql as $$
begin
  perform publish_live_message('accessChangedPersonIds', array[new.id]);
  return null;
end $$;

create or replace trigger users_publish_access_change after update of disabled_at, system_admin on users for each row
  when ((old.disabled_at, old.system_admin) is distinct from (new.disabled_at, new.system_admin))
  execute function publish_user_access_change();

create or replace function publish_second_factor_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform publish_live_message('accessChangedPersonIds', array[old.user_id]);
  else
    perform publish_live_message('accessChangedPersonIds', array[new.user_id]);
  end if;
  return null;
end $$;

create or replace trigger second_factors_publish_confirmation after update of confirmed_at on second_factors for each row
  when (old.confirmed_at is distinct from new.confirmed_at) execute function publish_second_factor_change();

create or replace trigger second_factors_publish_removal after delete on second_factors for each row
  when (old.confirmed_at is not null) execute function publish_second_factor_change();

create or replace function publish_second_factor_requirement() returns trigger language plpgsql as $$
begin
  perform publish_live_message('securityChangedOrganizationIds', array[new.id]);
  return null;
end $$;

create or replace trigger organizations_publish_second_factor_requirement after update of require_second_factor on organizations for each row
  when (old.require_second_factor <> new.require_second_factor) execute function publish_second_factor_requirement();

--
-- Audit log
--

CREATE TABLE audit_entries (
  chain varchar(36) NOT NULL,
  seq bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  actor_id uuid,
  action text NOT NULL,
  object_type text NOT NULL,
  object_id uuid,
  event_id uuid,
  by_right text NOT NULL,
  request_id text,
  data jsonb NOT NULL DEFAULT '{}',
  prev_hash bytea NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (chain, seq)
);
CREATE INDEX audit_entries_event_id_seq_idx ON audit_entries (event_id, seq DESC);
CREATE INDEX audit_entries_actor_id_at_idx ON audit_entries (actor_id, at DESC);

-- The audit log by action, newest first.
CREATE INDEX audit_entries_chain_action ON audit_entries (chain, action, seq DESC);

-- Each entry updates the head of its chain: with room on the page, the index stays as it is.
CREATE TABLE audit_chains (
  chain varchar(36) PRIMARY KEY,
  seq bigint NOT NULL DEFAULT 0,
  head bytea NOT NULL
) WITH (fillfactor = 40);

CREATE TABLE audit_seals (
  chain varchar(36) NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  prev_mac bytea NOT NULL,
  mac bytea NOT NULL,
  key_id varchar(16) NOT NULL,
  sealed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (chain, seq)
);

CREATE TABLE audit_checkpoints (
  number bigint PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  line text NOT NULL,
  sent_at timestamptz(3)
);

-- The hash-chained audit log (docs/decisions/006). The hash of an entry covers the entry and the hash before it.
CREATE OR REPLACE FUNCTION hash_audit_entry(
  p_prev bytea, p_chain text, p_seq bigint, p_at timestamptz, p_actor uuid, p_action text, p_object_type text,
  p_object uuid, p_event uuid, p_right text, p_request text, p_data jsonb
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(p_prev || convert_to(jsonb_build_array(
    p_chain, p_seq, to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), p_actor, p_action,
    p_object_type, p_object, p_event, p_right, p_request, p_data)::text, 'UTF8'))
$$;

-- Appends an entry and returns its number. The head of the chain is locked from here to the commit, so that the entries
-- of a chain follow one another without gaps.
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
  SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO audit_chains (chain, seq, head) VALUES (p_chain, 0, '') ON CONFLICT DO NOTHING;
    SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  END IF;
  v_at := date_trunc('milliseconds', clock_timestamp());
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

--
-- Installation
--

CREATE TABLE system_settings (
  key text PRIMARY KEY,
  value jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE installation_metadata (
  key text PRIMARY KEY,
  value text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE key_fingerprints (
  name text NOT NULL,
  fingerprint text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  lost_at timestamptz(3),
  PRIMARY KEY (name, fingerprint)
);

CREATE TABLE job_queue_failures (
  queue text PRIMARY KEY,
  failures integer NOT NULL,
  failing_since timestamptz(3)
);

--
-- Foreign keys
--

-- A deletion cascades in the order in which these are created.
ALTER TABLE sessions ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE password_resets ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE email_changes ADD CONSTRAINT email_changes_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE organization_members ADD CONSTRAINT organization_members_organization_id_fkey FOREIGN KEY (organization_id)
  REFERENCES organizations(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE organization_members ADD CONSTRAINT organization_members_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE events ADD CONSTRAINT events_organization_id_fkey FOREIGN KEY (organization_id)
  REFERENCES organizations(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE event_roles ADD CONSTRAINT event_roles_event_id_fkey FOREIGN KEY (event_id)
  REFERENCES events(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE event_roles ADD CONSTRAINT event_roles_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE invites ADD CONSTRAINT invites_organization_id_fkey FOREIGN KEY (organization_id)
  REFERENCES organizations(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE invites ADD CONSTRAINT invites_event_id_fkey FOREIGN KEY (event_id)
  REFERENCES events(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE invite_uses ADD CONSTRAINT invite_uses_invite_id_fkey FOREIGN KEY (invite_id)
  REFERENCES invites(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE invite_uses ADD CONSTRAINT invite_uses_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE incidents ADD CONSTRAINT incidents_event_id_fkey FOREIGN KEY (event_id)
  REFERENCES events(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE incidents ADD CONSTRAINT incidents_reporter_id_fkey FOREIGN KEY (reporter_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE incidents ADD CONSTRAINT incidents_assigned_responder_id_fkey FOREIGN KEY (assigned_responder_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE incident_counts ADD CONSTRAINT incident_counts_event_id_fkey FOREIGN KEY (event_id)
  REFERENCES events(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE related_files ADD CONSTRAINT related_files_incident_id_fkey FOREIGN KEY (incident_id)
  REFERENCES incidents(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE incident_history ADD CONSTRAINT incident_history_incident_id_fkey FOREIGN KEY (incident_id)
  REFERENCES incidents(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE team_notes ADD CONSTRAINT team_notes_incident_id_fkey FOREIGN KEY (incident_id)
  REFERENCES incidents(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE team_notes ADD CONSTRAINT team_notes_author_id_fkey FOREIGN KEY (author_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE reporter_messages ADD CONSTRAINT reporter_messages_incident_id_fkey FOREIGN KEY (incident_id)
  REFERENCES incidents(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE reporter_messages ADD CONSTRAINT reporter_messages_author_id_fkey FOREIGN KEY (author_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE pins ADD CONSTRAINT pins_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE pins ADD CONSTRAINT pins_incident_id_fkey FOREIGN KEY (incident_id)
  REFERENCES incidents(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE pins ADD CONSTRAINT pins_event_id_fkey FOREIGN KEY (event_id)
  REFERENCES events(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE evidence_usage ADD CONSTRAINT evidence_usage_event_id_fkey FOREIGN KEY (event_id)
  REFERENCES events(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE team_note_revisions ADD CONSTRAINT team_note_revisions_note_id_fkey FOREIGN KEY (note_id)
  REFERENCES team_notes(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE team_note_mentions ADD CONSTRAINT team_note_mentions_note_id_fkey FOREIGN KEY (note_id)
  REFERENCES team_notes(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE team_note_mentions ADD CONSTRAINT team_note_mentions_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE reporter_message_revisions ADD CONSTRAINT reporter_message_revisions_message_id_fkey FOREIGN KEY (message_id)
  REFERENCES reporter_messages(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE incident_access ADD CONSTRAINT incident_access_incident_id_fkey FOREIGN KEY (incident_id)
  REFERENCES incidents(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE notifications ADD CONSTRAINT notifications_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE notifications ADD CONSTRAINT notifications_organization_id_fkey FOREIGN KEY (organization_id)
  REFERENCES organizations(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE notifications ADD CONSTRAINT notifications_event_id_fkey FOREIGN KEY (event_id)
  REFERENCES events(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE notifications ADD CONSTRAINT notifications_incident_id_fkey FOREIGN KEY (incident_id)
  REFERENCES incidents(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE notification_settings ADD CONSTRAINT notification_settings_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE second_factors ADD CONSTRAINT second_factors_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE recovery_codes ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_event_id_fkey FOREIGN KEY (event_id)
  REFERENCES events(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE known_devices ADD CONSTRAINT known_devices_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE webhooks ADD CONSTRAINT webhooks_organization_id_fkey FOREIGN KEY (organization_id)
  REFERENCES organizations(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id)
  REFERENCES webhooks(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE event_report_settings ADD CONSTRAINT event_report_settings_event_id_fkey FOREIGN KEY (event_id)
  REFERENCES events(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE unread_markers ADD CONSTRAINT unread_markers_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE unread_markers ADD CONSTRAINT unread_markers_incident_id_fkey FOREIGN KEY (incident_id)
  REFERENCES incidents(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE saved_views ADD CONSTRAINT saved_views_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_incident_id_fkey FOREIGN KEY (incident_id)
  REFERENCES incidents(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE evidence_problems ADD CONSTRAINT evidence_problems_file_id_fkey FOREIGN KEY (file_id)
  REFERENCES related_files(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE sign_in_retries ADD CONSTRAINT sign_in_retries_key_fkey FOREIGN KEY (key)
  REFERENCES sign_in_delays(key) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE email_verifications ADD CONSTRAINT email_verifications_user_id_fkey FOREIGN KEY (user_id)
  REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
