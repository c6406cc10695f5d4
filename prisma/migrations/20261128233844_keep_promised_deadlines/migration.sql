-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "first_response_due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- AlterTable
ALTER TABLE "report_tombstones" ADD COLUMN     "first_response_due_at" TIMESTAMPTZ(3);

-- How long a deadline of this kind is, as the event promises it now.
CREATE FUNCTION deadline_length(event uuid, kind deadline_kind, urgent boolean) RETURNS interval LANGUAGE sql STABLE AS $$
  SELECT CASE
      WHEN urgent THEN make_interval(mins => coalesce(nullif(current_setting('heed.urgent_deadline_minutes', true), '')::int, 15))
      WHEN kind = 'acknowledge' THEN make_interval(hours => coalesce(s.answer_within_hours,
        nullif(current_setting('heed.response_deadline_hours', true), '')::int, 24))
      ELSE make_interval(hours => 24 * coalesce(s.next_update_within_days, 7)) END
    FROM (SELECT event AS id) e LEFT JOIN event_report_settings s ON s.event_id = e.id
$$;

-- Reports that wait for their first response have it in due_at; what was promised for earlier ones isn't stored, so that
-- they get what their event promises now.
UPDATE incidents SET first_response_due_at = CASE WHEN due_for = 'acknowledge' THEN due_at
  ELSE created_at + deadline_length(event_id, 'acknowledge', false) END;
UPDATE report_tombstones SET first_response_due_at = created_at + deadline_length(event_id, 'acknowledge', false);
ALTER TABLE "report_tombstones" ALTER COLUMN "first_response_due_at" SET NOT NULL;

CREATE OR REPLACE FUNCTION set_incident_deadline() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind deadline_kind;
  since timestamptz;
BEGIN
  IF TG_OP = 'INSERT' OR NEW.created_at IS DISTINCT FROM OLD.created_at THEN
    NEW.first_response_due_at := NEW.created_at + deadline_length(NEW.event_id, 'acknowledge', NEW.urgent);
  END IF;
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
    NEW.due_at := since + deadline_length(NEW.event_id, kind, NEW.urgent);
  END IF;
  RETURN NEW;
END $$;
