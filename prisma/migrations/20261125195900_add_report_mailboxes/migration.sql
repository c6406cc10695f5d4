-- AlterTable
ALTER TABLE "event_report_settings" ADD COLUMN     "without_account" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "has_mailbox" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "reporter_messages" ADD COLUMN     "from_mailbox" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "report_mailboxes" (
    "incident_id" UUID NOT NULL,
    "receipt_hash" BYTEA,
    "confirmed" BOOLEAN NOT NULL DEFAULT false,
    "withdrawn_on" DATE,
    "closed_on" DATE,

    CONSTRAINT "report_mailboxes_pkey" PRIMARY KEY ("incident_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "report_mailboxes_receipt_hash_key" ON "report_mailboxes"("receipt_hash");

-- AddForeignKey
ALTER TABLE "report_mailboxes" ADD CONSTRAINT "report_mailboxes_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the schema cannot say.
ALTER TABLE "reporter_messages" ADD CONSTRAINT "reporter_messages_mailbox_author" CHECK (NOT from_mailbox OR author_id IS NULL);

-- Which clock runs for an incident, since when, and until when (docs/decisions/020). A clock keeps the target that it
-- started with. The service says how long a first response may take where the event promises nothing
-- (RESPONSE_DEADLINE_HOURS). A report that went back to submitted waits for its first response again, counted from the
-- report. A day is 24 hours: the length of a calendar day depends on the time zone of the session. An urgent report has
-- minutes (URGENT_DEADLINE_MINUTES), whatever the event promises, and stops being urgent once it isn't submitted anymore.
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
    AND NEW.last_message_from IS DISTINCT FROM 'team'
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

CREATE OR REPLACE TRIGGER set_incident_deadline BEFORE INSERT OR UPDATE ON incidents FOR EACH ROW EXECUTE FUNCTION set_incident_deadline();

-- Who wrote the last message, and whether that was the reporter on a report that was resolved or closed by then. Whoever
-- reported is the reporter here, also where they are on the team as well, and so is whoever wrote in the report's mailbox.
CREATE OR REPLACE FUNCTION set_last_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE incidents SET last_message_at = NEW.created_at,
      last_message_from = CASE WHEN NEW.from_mailbox OR NEW.author_id = reporter_id THEN 'reporter' ELSE 'team' END::message_sender,
      message_after_closing = state IN ('resolved', 'closed') AND (NEW.from_mailbox OR coalesce(NEW.author_id = reporter_id, false))
    WHERE id = NEW.incident_id AND (last_message_at IS NULL OR last_message_at <= NEW.created_at);
  ELSE
    UPDATE incidents i SET (last_message_from, last_message_at) = (
      SELECT CASE WHEN m.from_mailbox OR m.author_id = i.reporter_id THEN 'reporter' ELSE 'team' END::message_sender, m.created_at
      FROM reporter_messages m WHERE m.incident_id = i.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1)
    WHERE i.id = OLD.incident_id;
    UPDATE incidents SET message_after_closing = false
    WHERE id = OLD.incident_id AND message_after_closing AND last_message_from IS DISTINCT FROM 'reporter';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER set_last_message AFTER INSERT OR DELETE ON reporter_messages
  FOR EACH ROW EXECUTE FUNCTION set_last_message();
