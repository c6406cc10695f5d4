-- Tenths of an hour, rounded as the API rounds them: halves go up.
CREATE OR REPLACE FUNCTION tenths_of_hours(p_from timestamptz, p_to timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM p_to - p_from) / 360 + 0.5)::int
$$;

-- Months since the year 0, in UTC.
CREATE OR REPLACE FUNCTION month_number(p_at timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(year FROM p_at AT TIME ZONE 'UTC') * 12 + extract(month FROM p_at AT TIME ZONE 'UTC') - 1)::int
$$;

-- Moves up to `p_limit` changes into the aggregates (docs/decisions/022) and returns how many it moved. Those of the
-- oldest reports come first, so that changes that move together affect few days. One process does so at a time.
-- Aggregates and remaining changes add up at each moment, since both are written in one transaction.
--
-- Equal changes are added up before they are multiplied by days, months and scopes, and each histogram is merged on its
-- own. Single days of an event have no histograms: they have too few reports. An organization has one for all time, for
-- any state and severity.
CREATE OR REPLACE FUNCTION roll_up_report_changes(p_limit int) RETURNS bigint LANGUAGE plpgsql
  -- Affected rows are looked up, however many aggregates there are.
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_count bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(4833009);
  WITH changes AS MATERIALIZED (
    DELETE FROM report_changes WHERE id = ANY (ARRAY(SELECT id FROM report_changes ORDER BY created_at, id LIMIT p_limit)) RETURNING *
  ), grouped AS MATERIALIZED (
    SELECT organization_id, event_id, (created_at AT TIME ZONE 'UTC')::date AS day, state::text AS state,
      coalesce(severity::text, 'none') AS severity, escalated, resolved_at IS NULL AND NOT assigned AS unassigned,
      tenths_of_hours(created_at, first_response_at) AS first_response, tenths_of_hours(created_at, resolved_at) AS resolution,
      month_number(resolved_at) AS resolved, sum(weight) AS weight,
      sum(weight * round(extract(epoch FROM resolved_at - created_at) * 1000)::bigint) AS resolution_ms
    FROM changes GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  ), cells AS MATERIALIZED (
    SELECT s.scope_id, s.is_event, k.state, k.severity, p.period, p.start, a.weight, a.escalated, a.unassigned,
      a.resolution_ms, a.first_response, a.resolution, a.resolved
    FROM grouped a
    CROSS JOIN LATERAL (
      SELECT id, false FROM organizations WHERE id = a.organization_id UNION ALL SELECT id, true FROM events WHERE id = a.event_id
    ) s(scope_id, is_event)
    CROSS JOIN LATERAL (VALUES (a.state, a.severity), ('any', 'any')) k(state, severity)
    CROSS JOIN LATERAL (VALUES ('day', a.day), ('month', date_trunc('month', a.day::timestamp)::date)) p(period, start)
    WHERE a.weight <> 0 OR a.resolution_ms <> 0
  ), written_aggregates AS (
    INSERT INTO report_aggregates AS r (scope_id, state, severity, period, start, reports, escalated, unassigned, resolved, resolution_ms)
    SELECT scope_id, state, severity, period, start, sum(weight), coalesce(sum(weight) FILTER (WHERE escalated), 0),
      coalesce(sum(weight) FILTER (WHERE unassigned), 0), coalesce(sum(weight) FILTER (WHERE resolution IS NOT NULL), 0),
      coalesce(sum(resolution_ms), 0)
    FROM cells GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (scope_id, state, severity, period, start) DO UPDATE SET
      reports = r.reports + excluded.reports, escalated = r.escalated + excluded.escalated,
      unassigned = r.unassigned + excluded.unassigned, resolved = r.resolved + excluded.resolved,
      resolution_ms = r.resolution_ms + excluded.resolution_ms
  ), added_histograms AS MATERIALIZED (
    SELECT scope_id, state, severity, period, start, measure, array_agg(value) AS "values", array_agg(n) AS counts
    FROM (
      SELECT scope_id, state, severity, period, start, m.measure, m.value, sum(weight)::int AS n
      FROM (
        SELECT * FROM cells WHERE NOT (is_event AND period = 'day')
        UNION ALL
        SELECT scope_id, is_event, state, severity, 'all', DATE '0001-01-01', weight, escalated, unassigned, resolution_ms, first_response,
          resolution, resolved
        FROM cells WHERE period = 'month' AND NOT is_event AND state = 'any' AND severity = 'any'
      ) histogram_cells CROSS JOIN LATERAL (VALUES ('first_response', first_response), ('resolution', resolution), ('resolved', resolved)) m(measure, value)
      WHERE m.value IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) value_counts WHERE n <> 0 GROUP BY 1, 2, 3, 4, 5, 6
  ), written_histograms AS (
    INSERT INTO report_histograms AS r (scope_id, state, severity, period, start, measure, "values", counts)
    SELECT scope_id, state, severity, period, start, measure, b."values", b.counts
    FROM added_histograms m LEFT JOIN report_histograms s USING (scope_id, state, severity, period, start, measure)
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
  SELECT count(*) INTO v_count FROM changes;
  RETURN v_count;
END $$;
