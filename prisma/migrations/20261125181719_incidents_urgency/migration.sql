-- The order of sort=urgency within each event and status (docs/decisions/042): lists take the first rows of each.
CREATE INDEX incidents_urgency ON incidents (
  event_id,
  state,
  (CASE WHEN state IN ('submitted', 'acknowledged', 'investigating')
    THEN CASE WHEN urgent THEN 0 WHEN severity = 'critical' THEN 1 ELSE 2 END ELSE 3 END),
  due_at,
  created_at DESC,
  id DESC
);
