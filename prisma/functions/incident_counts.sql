-- Counters of incidents: one row per event and slot. Slots keep simultaneous reports to one event from waiting for one
-- another; the sum over the slots is the number. Changes come one statement at a time, in the order of events, so that
-- no two transactions lock each other out.
CREATE OR REPLACE FUNCTION incident_counts_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO incident_counts AS c (event_id, slot, submitted, acknowledged, investigating, resolved, closed,
    open_unassigned, open_escalated, open_critical, open_high, open_medium, open_low)
  SELECT event_id, pg_backend_pid() % 8,
    count(*) FILTER (WHERE state = 'submitted'), count(*) FILTER (WHERE state = 'acknowledged'),
    count(*) FILTER (WHERE state = 'investigating'), count(*) FILTER (WHERE state = 'resolved'),
    count(*) FILTER (WHERE state = 'closed'),
    count(*) FILTER (WHERE state < 'resolved' AND assigned_responder_id IS NULL),
    count(*) FILTER (WHERE state < 'resolved' AND escalated_at IS NOT NULL),
    count(*) FILTER (WHERE state < 'resolved' AND severity = 'critical'),
    count(*) FILTER (WHERE state < 'resolved' AND severity = 'high'),
    count(*) FILTER (WHERE state < 'resolved' AND severity = 'medium'),
    count(*) FILTER (WHERE state < 'resolved' AND severity = 'low')
  FROM added GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id, slot) DO UPDATE SET
    submitted = c.submitted + excluded.submitted, acknowledged = c.acknowledged + excluded.acknowledged,
    investigating = c.investigating + excluded.investigating, resolved = c.resolved + excluded.resolved,
    closed = c.closed + excluded.closed,
    open_unassigned = c.open_unassigned + excluded.open_unassigned,
    open_escalated = c.open_escalated + excluded.open_escalated,
    open_critical = c.open_critical + excluded.open_critical, open_high = c.open_high + excluded.open_high,
    open_medium = c.open_medium + excluded.open_medium, open_low = c.open_low + excluded.open_low;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION incident_counts_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO incident_counts AS c (event_id, slot, submitted, acknowledged, investigating, resolved, closed,
    open_unassigned, open_escalated, open_critical, open_high, open_medium, open_low)
  SELECT event_id, pg_backend_pid() % 8,
    coalesce(sum(n) FILTER (WHERE state = 'submitted'), 0), coalesce(sum(n) FILTER (WHERE state = 'acknowledged'), 0),
    coalesce(sum(n) FILTER (WHERE state = 'investigating'), 0), coalesce(sum(n) FILTER (WHERE state = 'resolved'), 0),
    coalesce(sum(n) FILTER (WHERE state = 'closed'), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND nobodys), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND escalated), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND severity = 'critical'), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND severity = 'high'), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND severity = 'medium'), 0),
    coalesce(sum(n) FILTER (WHERE state < 'resolved' AND severity = 'low'), 0)
  FROM (
    SELECT event_id, state, severity, assigned_responder_id IS NULL AS nobodys, escalated_at IS NOT NULL AS escalated, 1 AS n FROM after_change
    UNION ALL
    SELECT event_id, state, severity, assigned_responder_id IS NULL, escalated_at IS NOT NULL, -1 FROM before_change
  ) moved
  GROUP BY event_id
  HAVING count(DISTINCT (state, severity, nobodys, escalated)) > 1
  ORDER BY event_id
  ON CONFLICT (event_id, slot) DO UPDATE SET
    submitted = c.submitted + excluded.submitted, acknowledged = c.acknowledged + excluded.acknowledged,
    investigating = c.investigating + excluded.investigating, resolved = c.resolved + excluded.resolved,
    closed = c.closed + excluded.closed,
    open_unassigned = c.open_unassigned + excluded.open_unassigned,
    open_escalated = c.open_escalated + excluded.open_escalated,
    open_critical = c.open_critical + excluded.open_critical, open_high = c.open_high + excluded.open_high,
    open_medium = c.open_medium + excluded.open_medium, open_low = c.open_low + excluded.open_low;
  RETURN NULL;
END $$;

-- When the event itself is deleted, its counters may be gone already; then there is nothing left to count.
CREATE OR REPLACE FUNCTION incident_counts_remove() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE incident_counts c SET
    submitted = c.submitted - g.submitted, acknowledged = c.acknowledged - g.acknowledged,
    investigating = c.investigating - g.investigating, resolved = c.resolved - g.resolved,
    closed = c.closed - g.closed,
    open_unassigned = c.open_unassigned - g.open_unassigned, open_escalated = c.open_escalated - g.open_escalated,
    open_critical = c.open_critical - g.open_critical, open_high = c.open_high - g.open_high,
    open_medium = c.open_medium - g.open_medium, open_low = c.open_low - g.open_low
  FROM (
    SELECT event_id,
      count(*) FILTER (WHERE state = 'submitted') AS submitted, count(*) FILTER (WHERE state = 'acknowledged') AS acknowledged,
      count(*) FILTER (WHERE state = 'investigating') AS investigating, count(*) FILTER (WHERE state = 'resolved') AS resolved,
      count(*) FILTER (WHERE state = 'closed') AS closed,
      count(*) FILTER (WHERE state < 'resolved' AND assigned_responder_id IS NULL) AS open_unassigned,
      count(*) FILTER (WHERE state < 'resolved' AND escalated_at IS NOT NULL) AS open_escalated,
      count(*) FILTER (WHERE state < 'resolved' AND severity = 'critical') AS open_critical,
      count(*) FILTER (WHERE state < 'resolved' AND severity = 'high') AS open_high,
      count(*) FILTER (WHERE state < 'resolved' AND severity = 'medium') AS open_medium,
      count(*) FILTER (WHERE state < 'resolved' AND severity = 'low') AS open_low
    FROM removed GROUP BY event_id
  ) g
  WHERE c.event_id = g.event_id
    AND c.slot = (SELECT min(slot) FROM incident_counts x WHERE x.event_id = g.event_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER incident_counts_on_insert AFTER INSERT ON incidents
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_add();

CREATE OR REPLACE TRIGGER incident_counts_on_update AFTER UPDATE ON incidents
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_change();

CREATE OR REPLACE TRIGGER incident_counts_on_delete AFTER DELETE ON incidents
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_remove();
