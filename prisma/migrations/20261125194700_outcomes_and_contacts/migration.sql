-- AlterTable
ALTER TABLE "event_report_settings" ADD COLUMN     "emergency_number" TEXT,
ADD COLUMN     "emergency_phone" TEXT;

-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "contact_phone" TEXT,
ADD COLUMN     "message_after_closing" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "reporter_messages" ADD COLUMN     "outcome" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "outcome_templates" (
    "organization_id" UUID NOT NULL,
    "locale" TEXT NOT NULL,
    "state" "incident_state" NOT NULL,
    "body" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outcome_templates_pkey" PRIMARY KEY ("organization_id","locale","state")
);

-- AddForeignKey
ALTER TABLE "outcome_templates" ADD CONSTRAINT "outcome_templates_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The reporter wrote last, on a report that was resolved or closed by then: few at a time.
CREATE INDEX incidents_message_after_closing ON incidents (event_id, created_at DESC, id DESC) WHERE message_after_closing;

-- The outcome that a reporter reads is the latest of these.
CREATE INDEX reporter_messages_outcome ON reporter_messages (incident_id, created_at DESC) WHERE outcome;

-- A change of status settles what the reporter wrote after the incident was resolved or closed. The phone number belongs to
-- the reporter: it goes when their account does.
CREATE OR REPLACE FUNCTION clear_outdated_incident_fields() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state IS DISTINCT FROM OLD.state THEN
    NEW.message_after_closing := false;
  END IF;
  IF NEW.reporter_id IS NULL THEN
    NEW.contact_phone := NULL;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER clear_outdated_incident_fields BEFORE UPDATE ON incidents
  FOR EACH ROW EXECUTE FUNCTION clear_outdated_incident_fields();

-- Who wrote the last message, and whether that was the reporter on a report that was resolved or closed by then. Whoever reported is the reporter here, also where they are on the team as well.
CREATE OR REPLACE FUNCTION set_last_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE incidents SET last_message_at = NEW.created_at,
      last_message_from = CASE WHEN NEW.author_id = reporter_id THEN 'reporter' ELSE 'team' END::message_sender,
      message_after_closing = state IN ('resolved', 'closed') AND coalesce(NEW.author_id = reporter_id, false)
    WHERE id = NEW.incident_id AND (last_message_at IS NULL OR last_message_at <= NEW.created_at);
  ELSE
    UPDATE incidents i SET (last_message_from, last_message_at) = (
      SELECT CASE WHEN m.author_id = i.reporter_id THEN 'reporter' ELSE 'team' END::message_sender, m.created_at
      FROM reporter_messages m WHERE m.incident_id = i.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1)
    WHERE i.id = OLD.incident_id;
    UPDATE incidents SET message_after_closing = false
    WHERE id = OLD.incident_id AND message_after_closing AND last_message_from IS DISTINCT FROM 'reporter';
  END IF;
  RETURN NULL;
END $$;
