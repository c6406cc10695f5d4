-- What is due, and who has the last word between team and reporter.

-- CreateEnum
CREATE TYPE "due_for" AS ENUM ('acknowledge', 'word');

-- CreateEnum
CREATE TYPE "last_word" AS ENUM ('team', 'reporter');

-- AlterTable
ALTER TABLE "event_report_settings" ADD COLUMN     "next_word_within_days" INTEGER;

-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "due_at" TIMESTAMPTZ(3),
ADD COLUMN     "due_for" "due_for",
ADD COLUMN     "due_since" TIMESTAMPTZ(3),
ADD COLUMN     "last_word" "last_word",
ADD COLUMN     "last_word_at" TIMESTAMPTZ(3);

-- Which clock runs for an incident, since when, and until when. A clock keeps the target that it started with. The
-- service says how long a first answer may take where the event promises nothing (RESPONSE_DEADLINE_HOURS).
CREATE FUNCTION incident_due() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wanted due_for;
  since timestamptz;
BEGIN
  IF NEW.state = 'submitted' AND NEW.first_response_at IS NULL THEN
    wanted := 'acknowledge';
    since := NEW.created_at;
  ELSIF NEW.state < 'resolved' AND NEW.reporter_id IS NOT NULL AND NEW.last_word IS DISTINCT FROM 'team'
    AND (NEW.last_word IS NOT NULL OR NEW.contact_method <> 'no_contact') THEN
    wanted := 'word';
    since := coalesce(greatest(NEW.first_response_at, NEW.reopened_at, NEW.last_word_at), NEW.created_at);
  END IF;
  IF wanted IS NULL THEN
    NEW.due_for := NULL;
    NEW.due_since := NULL;
    NEW.due_at := NULL;
  ELSIF NEW.due_at IS NULL OR NEW.due_for IS DISTINCT FROM wanted OR NEW.due_since IS DISTINCT FROM since THEN
    NEW.due_for := wanted;
    NEW.due_since := since;
    SELECT since + CASE wanted
        WHEN 'acknowledge' THEN make_interval(hours => coalesce(s.answer_within_hours,
          nullif(current_setting('heed.response_deadline_hours', true), '')::int, 24))
        ELSE make_interval(days => coalesce(s.next_word_within_days, 7)) END
      INTO NEW.due_at
      FROM (SELECT NEW.event_id AS id) e LEFT JOIN event_report_settings s ON s.event_id = e.id;
  END IF;
  RETURN NEW;
END $$;

-- Who spoke last to the other side. Whoever reported is the reporter here, also where they are on the team as well.
CREATE FUNCTION incident_last_word() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE incidents SET last_word_at = NEW.created_at,
      last_word = CASE WHEN NEW.author_id = reporter_id THEN 'reporter' ELSE 'team' END::last_word
    WHERE id = NEW.incident_id AND (last_word_at IS NULL OR last_word_at <= NEW.created_at);
  ELSE
    UPDATE incidents i SET (last_word, last_word_at) = (
      SELECT CASE WHEN m.author_id = i.reporter_id THEN 'reporter' ELSE 'team' END::last_word, m.created_at
      FROM reporter_messages m WHERE m.incident_id = i.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1)
    WHERE i.id = OLD.incident_id;
  END IF;
  RETURN NULL;
END $$;

-- What is there already. Nobody writes meanwhile.
LOCK TABLE "incidents" IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE "reporter_messages" IN SHARE ROW EXCLUSIVE MODE;
CREATE TRIGGER "incident_due" BEFORE INSERT OR UPDATE ON "incidents" FOR EACH ROW EXECUTE FUNCTION incident_due();
UPDATE "incidents" i SET last_word_at = m.created_at,
  last_word = CASE WHEN m.author_id = i.reporter_id THEN 'reporter' ELSE 'team' END::last_word
FROM (
  SELECT DISTINCT ON (incident_id) incident_id, author_id, created_at FROM "reporter_messages"
  ORDER BY incident_id, created_at DESC, id DESC
) m WHERE m.incident_id = i.id;
-- The trigger starts the clocks of what is open.
UPDATE "incidents" SET due_at = NULL WHERE state IN ('submitted', 'acknowledged', 'investigating') AND due_at IS NULL;
CREATE TRIGGER "incident_last_word" AFTER INSERT OR DELETE ON "reporter_messages"
  FOR EACH ROW EXECUTE FUNCTION incident_last_word();

-- What is due, soonest first; and what is open with a last word.
CREATE INDEX "incidents_due" ON "incidents" ("event_id", "due_at", "id") WHERE "due_at" IS NOT NULL;
CREATE INDEX "incidents_open_last_word" ON "incidents" ("event_id", "last_word", "created_at" DESC, "id" DESC)
  WHERE "state" IN ('submitted', 'acknowledged', 'investigating') AND "last_word" IS NOT NULL AND "reporter_id" IS NOT NULL;
