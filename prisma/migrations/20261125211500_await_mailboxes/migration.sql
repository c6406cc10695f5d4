-- Lists of incidents that wait for a message: a reporter with a mailbox can reply, too.
DROP INDEX incidents_open_last_message_from;
CREATE INDEX incidents_open_last_message_from ON incidents (event_id, last_message_from, created_at DESC, id DESC)
  WHERE state IN ('submitted', 'acknowledged', 'investigating') AND last_message_from IS NOT NULL
    AND (reporter_id IS NOT NULL OR has_mailbox);
