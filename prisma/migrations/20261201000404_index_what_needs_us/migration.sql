-- From when on a report needs the team: at once while it is submitted or awaits the team, else from its deadline on.
CREATE INDEX incidents_needs_us ON incidents (
  event_id,
  (CASE WHEN state IN ('submitted', 'acknowledged', 'investigating')
    THEN CASE WHEN state = 'submitted' OR last_message_from = 'reporter' AND (reporter_id IS NOT NULL OR has_mailbox)
      THEN '-infinity' ELSE due_at END
    WHEN message_after_closing THEN '-infinity' END)
) WHERE
  (CASE WHEN state IN ('submitted', 'acknowledged', 'investigating')
    THEN CASE WHEN state = 'submitted' OR last_message_from = 'reporter' AND (reporter_id IS NOT NULL OR has_mailbox)
      THEN '-infinity' ELSE due_at END
    WHEN message_after_closing THEN '-infinity' END) IS NOT NULL;
