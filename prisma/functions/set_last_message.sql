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
