-- Tenths of an hour, rounded as the API rounds them: halves go up.
CREATE OR REPLACE FUNCTION tenths_of_hours(p_from timestamptz, p_to timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM p_to - p_from) / 360 + 0.5)::int
$$;

-- Months since the year 0, in UTC.
CREATE OR REPLACE FUNCTION month_number(p_at timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(year FROM p_at AT TIME ZONE 'UTC') * 12 + extract(month FROM p_at AT TIME ZONE 'UTC') - 1)::int
$$;

-- Moves up to `p_most` changes into the aggregates, those of the oldest reports first, so that what is moved together
-- lies on few days, and returns how many it moved (docs/decisions/022). One process does so at a time. Aggregates and
-- remaining changes are right together at each moment, since both move in one transaction.
--
-- Changes that are alike are added up before they are spread over days, months and scopes, and each histogram is merged
-- on its own. One day of one event has no histogram: it has too few reports. An organization has one of all its time,
-- for any state and severity.
CREATE OR REPLACE FUNCTION fold_report_changes(p_most int) RETURNS bigint LANGUAGE plpgsql
  -- What is touched is looked up, however many tallies there are.
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_moved bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(4833009);
  WITH taken AS MATERIALIZED (
    DELETE FROM report_changes WHERE id = ANY (ARRAY(SELECT id FROM report_changes ORDER BY created_at, id LIMIT p_most)) RETURNING *
  ), alike AS MATERIALIZED (
    SELECT organization_id, event_id, (created_at AT TIME ZONE 'UTC')::date AS day, state::text AS state,
      coalesce(severity::text, 'none') AS severity, escalated, resolved_at IS NULL AND NOT assigned AS unassigned,
      tenths_of_hours(created_at, first_response_at) AS answer, tenths_of_hours(created_at, resolved_at) AS resolution,
      month_number(resolved_at) AS resolved, sum(weight) AS weight,
      sum(weight * round(extract(epoch FROM resolved_at - created_at) * 1000)::bigint) AS resolution_ms
    FROM taken GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  ), cells AS MATERIALIZED (
    SELECT s.scope_id, s.is_event, k.state, k.severity, p.period, p.start, a.weight, a.escalated, a.unassigned,
      a.resolution_ms, a.answer, a.resolution, a.resolved
    FROM alike a
    CROSS JOIN LATERAL (
      SELECT id, false FROM organizations WHERE id = a.organization_id UNION ALL SELECT id, true FROM events WHERE id = a.event_id
    ) s(scope_id, is_event)
    CROSS JOIN LATERAL (VALUES (a.state, a.severity), ('any', 'any')) k(state, severity)
    CROSS JOIN LATERAL (VALUES ('day', a.day), ('month', date_trunc('month', a.day::timestamp)::date)) p(period, start)
    WHERE a.weight <> 0 OR a.resolution_ms <> 0
  ), tallied AS (
    INSERT INTO report_tallies AS r (scope_id, state, severity, period, start, reports, escalated, unassigned, resolved, resolution_ms)
    SELECT scope_id, state, severity, period, start, sum(weight), coalesce(sum(weight) FILTER (WHERE escalated), 0),
      coalesce(sum(weight) FILTER (WHERE unassigned), 0), coalesce(sum(weight) FILTER (WHERE resolution IS NOT NULL), 0),
      coalesce(sum(resolution_ms), 0)
    FROM cells GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (scope_id, state, severity, period, start) DO UPDATE SET
      reports = r.reports + excluded.reports, escalated = r.escalated + excluded.escalated,
      unassigned = r.unassigned + excluded.unassigned, resolved = r.resolved + excluded.resolved,
      resolution_ms = r.resolution_ms + excluded.resolution_ms
  ), moved AS MATERIALIZED (
    SELECT scope_id, state, severity, period, start, measure, array_agg(value) AS "values", array_agg(n) AS counts
    FROM (
      SELECT scope_id, state, severity, period, start, m.measure, m.value, sum(weight)::int AS n
      FROM (
        SELECT * FROM cells WHERE NOT (is_event AND period = 'day')
        UNION ALL
        SELECT scope_id, is_event, state, severity, 'all', DATE '0001-01-01', weight, escalated, unassigned, resolution_ms, answer,
          resolution, resolved
        FROM cells WHERE period = 'month' AND NOT is_event AND state = 'any' AND severity = 'any'
      ) spreading CROSS JOIN LATERAL (VALUES ('answer', answer), ('resolution', resolution), ('resolved', resolved)) m(measure, value)
      WHERE m.value IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) each_value WHERE n <> 0 GROUP BY 1, 2, 3, 4, 5, 6
  ), spread AS (
    INSERT INTO report_spreads AS r (scope_id, state, severity, period, start, measure, "values", counts)
    SELECT scope_id, state, severity, period, start, measure, b."values", b.counts
    FROM moved m LEFT JOIN report_spreads s USING (scope_id, state, severity, period, start, measure)
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(value ORDER BY value), '{}') AS "values", coalesce(array_agg(n ORDER BY value), '{}') AS counts
      FROM (
        SELECT value, sum(n)::int AS n FROM (
          SELECT unnest(s."values") AS value, unnest(s.counts) AS n UNION ALL SELECT unnest(m."values"), unnest(m.counts)
        ) both_sides GROUP BY value HAVING sum(n) <> 0
      ) summed
    ) b
    ON CONFLICT (scope_id, state, severity, period, start, measure) DO UPDATE SET "values" = excluded."values", counts = excluded.counts
  )
  SELECT count(*) INTO v_moved FROM taken;
  RETURN v_moved;
END $$;
