-- The count and the list of what waits for its reporter read every open incident since the team marks it itself.
CREATE INDEX incidents_open_awaiting_reporter ON incidents (event_id, created_at DESC, id DESC)
  WHERE awaits_reporter AND state IN ('submitted', 'acknowledged', 'investigating');
