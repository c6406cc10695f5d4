-- AlterTable
ALTER TABLE "incidents" DROP COLUMN "resolution_internal",
ADD COLUMN     "awaits_reporter" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "reporter_messages" ADD COLUMN     "wait_for_reporter" BOOLEAN NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION set_last_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE incidents SET last_message_at = NEW.created_at,
      last_message_from = CASE WHEN NEW.from_mailbox OR NEW.author_id = reporter_id THEN 'reporter' ELSE 'team' END::message_sender,
      awaits_reporter = NEW.wait_for_reporter AND NOT (NEW.from_mailbox OR coalesce(NEW.author_id = reporter_id, false)),
      message_after_closing = state IN ('resolved', 'closed') AND (NEW.from_mailbox OR coalesce(NEW.author_id = reporter_id, false))
    WHERE id = NEW.incident_id AND (last_message_at IS NULL OR last_message_at <= NEW.created_at);
  ELSE
    UPDATE incidents i SET (last_message_from, last_message_at, awaits_reporter) = (
      SELECT max(last.sender), max(last.at), coalesce(bool_or(last.waits AND last.sender = 'team'), false)
      FROM (
        SELECT CASE WHEN m.from_mailbox OR m.author_id = i.reporter_id THEN 'reporter' ELSE 'team' END::message_sender AS sender,
          m.created_at AS at, m.wait_for_reporter AS waits
        FROM reporter_messages m WHERE m.incident_id = i.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1
      ) last)
    WHERE i.id = OLD.incident_id;
    UPDATE incidents SET message_after_closing = false
    WHERE id = OLD.incident_id AND message_after_closing AND last_message_from IS DISTINCT FROM 'reporter';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION set_incident_deadline() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind deadline_kind;
  since timestamptz;
BEGIN
  NEW.urgent := NEW.urgent AND NEW.state = 'submitted';
  IF NEW.state = 'submitted' THEN
    kind := 'acknowledge';
    since := NEW.created_at;
  ELSIF NEW.state < 'resolved' AND (NEW.reporter_id IS NOT NULL OR NEW.has_mailbox)
    AND NOT NEW.awaits_reporter
    AND (NEW.last_message_from IS NOT NULL OR NEW.has_mailbox OR NEW.contact_method <> 'no_contact') THEN
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
    SELECT since + CASE
        WHEN NEW.urgent THEN make_interval(mins => coalesce(nullif(current_setting('heed.urgent_deadline_minutes', true), '')::int, 15))
        WHEN kind = 'acknowledge' THEN make_interval(hours => coalesce(s.answer_within_hours,
          nullif(current_setting('heed.response_deadline_hours', true), '')::int, 24))
        ELSE make_interval(hours => 24 * coalesce(s.next_update_within_days, 7)) END
      INTO NEW.due_at
      FROM (SELECT NEW.event_id AS id) e LEFT JOIN event_report_settings s ON s.event_id = e.id;
  END IF;
  RETURN NEW;
END $$;

-- A clock that is paused now stays paused.
UPDATE incidents SET awaits_reporter = true WHERE last_message_from = 'team' AND state < 'resolved' AND due_at IS NULL;

-- The order of sort=urgency within each event and status (docs/decisions/042): lists take the first rows of each.
DROP INDEX incidents_urgency;
CREATE INDEX incidents_urgency ON incidents (
  event_id,
  state,
  (CASE WHEN state IN ('submitted', 'acknowledged', 'investigating')
    THEN CASE WHEN urgent THEN 0 ELSE 5 END
      + CASE severity WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END
    ELSE 10 END),
  due_at,
  created_at DESC,
  id DESC
);
