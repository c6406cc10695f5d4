-- Changes of the numbers of reports (docs/decisions/022): the old values count -1, the new ones 1. Triggers only append,
-- so that concurrent reports to one event don't wait for one another.
CREATE OR REPLACE FUNCTION report_changes_on_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, 1
  FROM added i JOIN events e ON e.id = i.event_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION report_changes_on_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, c.event_id, c.created_at, c.state, c.severity, c.escalated, c.assigned, c.first_response_at, c.resolved_at, c.weight
  FROM before_change b JOIN after_change a ON a.id = b.id
  CROSS JOIN LATERAL (VALUES
    (b.event_id, b.created_at, b.state, b.severity, b.escalated_at IS NOT NULL, b.assigned_responder_id IS NOT NULL, b.first_response_at, b.resolved_at, -1),
    (a.event_id, a.created_at, a.state, a.severity, a.escalated_at IS NOT NULL, a.assigned_responder_id IS NOT NULL, a.first_response_at, a.resolved_at, 1)
  ) c(event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  JOIN events e ON e.id = c.event_id
  WHERE (b.event_id, b.created_at, b.state, b.severity, b.escalated_at IS NULL, b.assigned_responder_id IS NULL, b.first_response_at, b.resolved_at)
    IS DISTINCT FROM
    (a.event_id, a.created_at, a.state, a.severity, a.escalated_at IS NULL, a.assigned_responder_id IS NULL, a.first_response_at, a.resolved_at);
  RETURN NULL;
END $$;

-- A tombstone counts what its deleted report counted: the two add up to nothing (docs/decisions/060).
CREATE OR REPLACE FUNCTION report_changes_on_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, t.event_id, t.created_at, t.state, t.severity, t.escalated, true, t.first_response_at, t.resolved_at, 1
  FROM added t JOIN events e ON e.id = t.event_id;
  RETURN NULL;
END $$;

-- Finds no reports that are deleted with their event, since the event is gone by then. The next function records them.
CREATE OR REPLACE FUNCTION report_changes_on_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, -1
  FROM removed i JOIN events e ON e.id = i.event_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION report_changes_on_event_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A change in progress is counted before its report is deleted.
  PERFORM 1 FROM incidents WHERE event_id = OLD.id FOR UPDATE;
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT OLD.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, -1
  FROM incidents i WHERE i.event_id = OLD.id;
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT OLD.organization_id, t.event_id, t.created_at, t.state, t.severity, t.escalated, true, t.first_response_at, t.resolved_at, -1
  FROM report_tombstones t WHERE t.event_id = OLD.id;
  DELETE FROM report_aggregates WHERE scope_id = OLD.id;
  DELETE FROM report_histograms WHERE scope_id = OLD.id;
  RETURN OLD;
END $$;

CREATE OR REPLACE FUNCTION report_aggregates_on_organization_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM report_changes WHERE organization_id = OLD.id;
  DELETE FROM report_aggregates WHERE scope_id = OLD.id;
  DELETE FROM report_histograms WHERE scope_id = OLD.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER report_changes_on_insert AFTER INSERT ON incidents
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_insert();

CREATE OR REPLACE TRIGGER report_changes_on_update AFTER UPDATE ON incidents
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_update();

CREATE OR REPLACE TRIGGER report_changes_on_delete AFTER DELETE ON incidents
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_delete();

CREATE OR REPLACE TRIGGER report_changes_on_event_delete BEFORE DELETE ON events
  FOR EACH ROW EXECUTE FUNCTION report_changes_on_event_delete();

CREATE OR REPLACE TRIGGER report_aggregates_on_organization_delete AFTER DELETE ON organizations
  FOR EACH ROW EXECUTE FUNCTION report_aggregates_on_organization_delete();

CREATE OR REPLACE TRIGGER report_changes_on_tombstone AFTER INSERT ON report_tombstones
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_tombstone();
