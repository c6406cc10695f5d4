-- Who wrote the last message, whether the team waits for an answer to it, and whether that was the reporter on a report
-- that was resolved or closed by then. Whoever reported is the reporter here, also where they are on the team as well, and
-- so is whoever wrote in the report's mailbox.
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

CREATE OR REPLACE TRIGGER set_last_message AFTER INSERT OR DELETE ON reporter_messages
  FOR EACH ROW EXECUTE FUNCTION set_last_message();
