-- CreateTable
CREATE TABLE "report_changes" (
    "id" BIGSERIAL NOT NULL,
    "organization_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "state" "incident_state" NOT NULL,
    "severity" "severity",
    "escalated" BOOLEAN NOT NULL,
    "assigned" BOOLEAN NOT NULL,
    "first_response_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3),
    "weight" SMALLINT NOT NULL,

    CONSTRAINT "report_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "report_tallies" (
    "scope_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "start" DATE NOT NULL,
    "state" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "reports" INTEGER NOT NULL,
    "escalated" INTEGER NOT NULL,
    "unassigned" INTEGER NOT NULL,
    "resolved" INTEGER NOT NULL,
    "resolution_ms" BIGINT NOT NULL,

    CONSTRAINT "report_tallies_pkey" PRIMARY KEY ("scope_id","state","severity","period","start")
);

-- CreateTable
CREATE TABLE "report_spreads" (
    "scope_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "start" DATE NOT NULL,
    "state" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "measure" TEXT NOT NULL,
    "values" INTEGER[],
    "counts" INTEGER[],

    CONSTRAINT "report_spreads_pkey" PRIMARY KEY ("scope_id","state","severity","period","start","measure")
);

-- CreateIndex
CREATE INDEX "report_changes_organization_id_idx" ON "report_changes"("organization_id");

-- Rows come and go by the minute, and tallies are written again and again.
ALTER TABLE "report_changes" SET (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE "report_tallies" SET (fillfactor = 70);

-- Triggers only append: simultaneous reports to one event have nothing to wait for.
CREATE FUNCTION report_changes_on_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, 1
  FROM added i JOIN events e ON e.id = i.event_id;
  RETURN NULL;
END $$;

CREATE FUNCTION report_changes_on_update() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Of reports that go with their event nothing is found here: the event is gone by then. The next trigger has them.
CREATE FUNCTION report_changes_on_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, -1
  FROM removed i JOIN events e ON e.id = i.event_id;
  RETURN NULL;
END $$;

CREATE FUNCTION report_changes_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A change that is under way counts before its report goes.
  PERFORM 1 FROM incidents WHERE event_id = OLD.id FOR UPDATE;
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT OLD.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, -1
  FROM incidents i WHERE i.event_id = OLD.id;
  DELETE FROM report_tallies WHERE scope_id = OLD.id;
  DELETE FROM report_spreads WHERE scope_id = OLD.id;
  RETURN OLD;
END $$;

CREATE FUNCTION report_tallies_of_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM report_changes WHERE organization_id = OLD.id;
  DELETE FROM report_tallies WHERE scope_id = OLD.id;
  DELETE FROM report_spreads WHERE scope_id = OLD.id;
  RETURN NULL;
END $$;

CREATE TRIGGER report_changes_on_insert AFTER INSERT ON "incidents"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_insert();
CREATE TRIGGER report_changes_on_update AFTER UPDATE ON "incidents"
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_update();
CREATE TRIGGER report_changes_on_delete AFTER DELETE ON "incidents"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_delete();
CREATE TRIGGER report_changes_of_event BEFORE DELETE ON "events"
  FOR EACH ROW EXECUTE FUNCTION report_changes_of_event();
CREATE TRIGGER report_tallies_of_organization AFTER DELETE ON "organizations"
  FOR EACH ROW EXECUTE FUNCTION report_tallies_of_organization();

-- Tenths of an hour, as the answer rounds them: halves go up.
CREATE FUNCTION tenths_of_hours(p_from timestamptz, p_to timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM p_to - p_from) / 360 + 0.5)::int
$$;

-- Months since the year 0, in UTC.
CREATE FUNCTION month_number(p_at timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(year FROM p_at AT TIME ZONE 'UTC') * 12 + extract(month FROM p_at AT TIME ZONE 'UTC') - 1)::int
$$;

-- Where the two reports in the middle lie in different tenths, they are looked up.
CREATE INDEX "incidents_tenths_to_answer" ON "incidents" ("event_id", tenths_of_hours("created_at", "first_response_at")) WHERE "first_response_at" IS NOT NULL;
CREATE INDEX "incidents_tenths_to_resolution" ON "incidents" ("event_id", tenths_of_hours("created_at", "resolved_at")) WHERE "resolved_at" IS NOT NULL;

-- Moves up to so many changes into the tallies, the oldest reports first, so that what is folded together lies on few
-- days. One process folds at a time. What a tally says together with the changes that wait is right at each moment,
-- since both move in one transaction. A day of one event has no spreads: it has too few reports to be worth them.
-- Returns how many were moved.
CREATE FUNCTION fold_report_changes(p_most int) RETURNS bigint LANGUAGE plpgsql
  -- What is touched is looked up, however many tallies there are.
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_moved bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(4833009);
  WITH taken AS MATERIALIZED (
    DELETE FROM report_changes WHERE id = ANY (ARRAY(SELECT id FROM report_changes ORDER BY created_at, id LIMIT p_most)) RETURNING *
  ), cells AS MATERIALIZED (
    SELECT s.scope_id, s.is_event, k.state, k.severity, p.period, p.start,
      t.weight, t.escalated, t.resolved_at IS NULL AND NOT t.assigned AS unassigned,
      round(extract(epoch FROM t.resolved_at - t.created_at) * 1000)::bigint AS resolution_ms,
      tenths_of_hours(t.created_at, t.first_response_at) AS answer, tenths_of_hours(t.created_at, t.resolved_at) AS resolution,
      month_number(t.resolved_at) AS resolved
    FROM taken t
    CROSS JOIN LATERAL (
      SELECT id, false FROM organizations WHERE id = t.organization_id UNION ALL SELECT id, true FROM events WHERE id = t.event_id
    ) s(scope_id, is_event)
    CROSS JOIN LATERAL (VALUES (t.state::text, coalesce(t.severity::text, 'none')), ('any', 'any')) k(state, severity)
    CROSS JOIN LATERAL (VALUES
      ('day', (t.created_at AT TIME ZONE 'UTC')::date), ('month', date_trunc('month', t.created_at AT TIME ZONE 'UTC')::date)
    ) p(period, start)
  ), tallied AS (
    INSERT INTO report_tallies AS r (scope_id, state, severity, period, start, reports, escalated, unassigned, resolved, resolution_ms)
    SELECT scope_id, state, severity, period, start, sum(weight), coalesce(sum(weight) FILTER (WHERE escalated), 0),
      coalesce(sum(weight) FILTER (WHERE unassigned), 0), coalesce(sum(weight) FILTER (WHERE resolution_ms IS NOT NULL), 0),
      coalesce(sum(weight * resolution_ms), 0)
    FROM cells GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (scope_id, state, severity, period, start) DO UPDATE SET
      reports = r.reports + excluded.reports, escalated = r.escalated + excluded.escalated,
      unassigned = r.unassigned + excluded.unassigned, resolved = r.resolved + excluded.resolved,
      resolution_ms = r.resolution_ms + excluded.resolution_ms
  ), moved AS MATERIALIZED (
    SELECT scope_id, state, severity, period, start, m.measure, m.value, sum(weight)::int AS n
    FROM cells CROSS JOIN LATERAL (VALUES ('answer', answer), ('resolution', resolution), ('resolved', resolved)) m(measure, value)
    WHERE m.value IS NOT NULL AND NOT (is_event AND period = 'day') GROUP BY 1, 2, 3, 4, 5, 6, 7
  ), spread AS (
    INSERT INTO report_spreads AS r (scope_id, state, severity, period, start, measure, "values", counts)
    SELECT scope_id, state, severity, period, start, measure,
      coalesce(array_agg(value ORDER BY value) FILTER (WHERE n <> 0), '{}'), coalesce(array_agg(n ORDER BY value) FILTER (WHERE n <> 0), '{}')
    FROM (
      SELECT scope_id, state, severity, period, start, measure, value, sum(n) AS n FROM (
        SELECT * FROM moved
        UNION ALL
        SELECT s.scope_id, s.state, s.severity, s.period, s.start, s.measure, u.value, u.n
        FROM (SELECT DISTINCT scope_id, state, severity, period, start, measure FROM moved) touched
        JOIN report_spreads s USING (scope_id, state, severity, period, start, measure)
        CROSS JOIN LATERAL unnest(s."values", s.counts) u(value, n)
      ) both_sides GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) summed GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (scope_id, state, severity, period, start, measure) DO UPDATE SET "values" = excluded."values", counts = excluded.counts
  )
  SELECT count(*) INTO v_moved FROM taken;
  RETURN v_moved;
END $$;

-- What is there already. Nobody writes meanwhile.
LOCK TABLE "incidents" IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at IS NOT NULL,
    i.assigned_responder_id IS NOT NULL, i.first_response_at, i.resolved_at, 1
  FROM incidents i JOIN events e ON e.id = i.event_id;
DO $$ BEGIN
  WHILE fold_report_changes(50000) > 0 LOOP NULL; END LOOP;
END $$;
