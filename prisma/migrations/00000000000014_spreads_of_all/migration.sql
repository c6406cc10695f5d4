-- How values are spread over all that an organization ever had, in one row a measure: adding up its months takes longer
-- the more of them there are, and the more different values each has (docs/decisions/022). Only of any state and severity
-- together; with a filter, months are added up as before.

-- Nothing is folded until this is done.
SELECT pg_advisory_xact_lock(4833009);

CREATE OR REPLACE FUNCTION fold_report_changes(p_most int) RETURNS bigint LANGUAGE plpgsql
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
    FROM (
      SELECT * FROM cells WHERE NOT (is_event AND period = 'day')
      UNION ALL
      SELECT scope_id, is_event, state, severity, 'all', DATE '0001-01-01', weight, escalated, unassigned, resolution_ms, answer,
        resolution, resolved
      FROM cells WHERE period = 'month' AND NOT is_event AND state = 'any' AND severity = 'any'
    ) spreading CROSS JOIN LATERAL (VALUES ('answer', answer), ('resolution', resolution), ('resolved', resolved)) m(measure, value)
    WHERE m.value IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7
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

INSERT INTO report_spreads (scope_id, period, start, state, severity, measure, "values", counts)
SELECT scope_id, 'all', DATE '0001-01-01', 'any', 'any', measure, array_agg(value ORDER BY value), array_agg(n ORDER BY value)
FROM (
  SELECT s.scope_id, s.measure, u.value, sum(u.n)::int AS n
  FROM report_spreads s JOIN organizations o ON o.id = s.scope_id CROSS JOIN LATERAL unnest(s."values", s.counts) u(value, n)
  WHERE s.period = 'month' AND s.state = 'any' AND s.severity = 'any' GROUP BY 1, 2, 3
) summed WHERE n <> 0 GROUP BY 1, 2, 3, 4, 5, 6;
