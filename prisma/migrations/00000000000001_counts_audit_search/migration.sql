-- What the schema language can't say: trigram indexes for search, counters kept by triggers, and the
-- hash-chained audit log. docs/decisions/ explains each.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Search is literal and case-insensitive (ILIKE '%...%'); trigram indexes answer it without reading rows.
CREATE INDEX "incidents_title_trgm" ON "incidents" USING gin ("title" gin_trgm_ops);
CREATE INDEX "incidents_description_trgm" ON "incidents" USING gin ("description" gin_trgm_ops);
CREATE INDEX "users_name_trgm" ON "users" USING gin ("name" gin_trgm_ops);

-- sort=title, in any letter case.
CREATE INDEX "incidents_event_title" ON "incidents" ("event_id", lower("title"), "id");

-- Last lines of defence behind the checks of the application.
ALTER TABLE "invites"
  ADD CONSTRAINT "invites_uses_within_limit" CHECK ("max_uses" IS NULL OR "use_count" <= "max_uses"),
  ADD CONSTRAINT "invites_max_uses_positive" CHECK ("max_uses" IS NULL OR "max_uses" > 0);
ALTER TABLE "incidents"
  ADD CONSTRAINT "incidents_title_length" CHECK (char_length("title") BETWEEN 10 AND 70),
  ADD CONSTRAINT "incidents_resolved_at" CHECK (("state" IN ('resolved', 'closed')) = ("resolved_at" IS NOT NULL)),
  ADD CONSTRAINT "incidents_first_response" CHECK ("state" = 'submitted' OR "first_response_at" IS NOT NULL);

-- Counters: one row an event and slot. Slots keep simultaneous reports to one event from waiting for one
-- another; the sum over the slots is the number. Changes come a statement at a time, in order of event.
CREATE FUNCTION incident_counts_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO incident_counts AS c (event_id, slot, submitted, acknowledged, investigating, resolved, closed)
  SELECT event_id, pg_backend_pid() % 8,
    count(*) FILTER (WHERE state = 'submitted'), count(*) FILTER (WHERE state = 'acknowledged'),
    count(*) FILTER (WHERE state = 'investigating'), count(*) FILTER (WHERE state = 'resolved'),
    count(*) FILTER (WHERE state = 'closed')
  FROM added GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id, slot) DO UPDATE SET
    submitted = c.submitted + excluded.submitted, acknowledged = c.acknowledged + excluded.acknowledged,
    investigating = c.investigating + excluded.investigating, resolved = c.resolved + excluded.resolved,
    closed = c.closed + excluded.closed;
  RETURN NULL;
END $$;

CREATE FUNCTION incident_counts_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO incident_counts AS c (event_id, slot, submitted, acknowledged, investigating, resolved, closed)
  SELECT event_id, pg_backend_pid() % 8,
    coalesce(sum(n) FILTER (WHERE state = 'submitted'), 0), coalesce(sum(n) FILTER (WHERE state = 'acknowledged'), 0),
    coalesce(sum(n) FILTER (WHERE state = 'investigating'), 0), coalesce(sum(n) FILTER (WHERE state = 'resolved'), 0),
    coalesce(sum(n) FILTER (WHERE state = 'closed'), 0)
  FROM (
    SELECT event_id, state, 1 AS n FROM after_change
    UNION ALL SELECT event_id, state, -1 FROM before_change
  ) moved
  GROUP BY event_id
  HAVING count(DISTINCT state) > 1
  ORDER BY event_id
  ON CONFLICT (event_id, slot) DO UPDATE SET
    submitted = c.submitted + excluded.submitted, acknowledged = c.acknowledged + excluded.acknowledged,
    investigating = c.investigating + excluded.investigating, resolved = c.resolved + excluded.resolved,
    closed = c.closed + excluded.closed;
  RETURN NULL;
END $$;

-- When the event itself goes, its counters may be gone already; then there is nothing left to count.
CREATE FUNCTION incident_counts_remove() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE incident_counts c SET
    submitted = c.submitted - g.submitted, acknowledged = c.acknowledged - g.acknowledged,
    investigating = c.investigating - g.investigating, resolved = c.resolved - g.resolved,
    closed = c.closed - g.closed
  FROM (
    SELECT event_id,
      count(*) FILTER (WHERE state = 'submitted') AS submitted, count(*) FILTER (WHERE state = 'acknowledged') AS acknowledged,
      count(*) FILTER (WHERE state = 'investigating') AS investigating, count(*) FILTER (WHERE state = 'resolved') AS resolved,
      count(*) FILTER (WHERE state = 'closed') AS closed
    FROM removed GROUP BY event_id
  ) g
  WHERE c.event_id = g.event_id
    AND c.slot = (SELECT min(slot) FROM incident_counts x WHERE x.event_id = g.event_id);
  RETURN NULL;
END $$;

CREATE TRIGGER incident_counts_on_insert AFTER INSERT ON "incidents"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_add();
CREATE TRIGGER incident_counts_on_update AFTER UPDATE ON "incidents"
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_change();
CREATE TRIGGER incident_counts_on_delete AFTER DELETE ON "incidents"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_remove();

-- The audit log. Each entry's hash covers the entry and the hash before it; the head of each chain is
-- locked from here to the commit, so entries of one chain follow one another without gaps.
ALTER TABLE "audit_chains" SET (fillfactor = 40);

CREATE FUNCTION audit_hash(
  p_prev bytea, p_chain text, p_seq bigint, p_at timestamptz, p_actor uuid, p_action text, p_object_type text,
  p_object uuid, p_event uuid, p_right text, p_request text, p_data jsonb
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(p_prev || convert_to(jsonb_build_array(
    p_chain, p_seq, to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), p_actor, p_action,
    p_object_type, p_object, p_event, p_right, p_request, p_data)::text, 'UTF8'))
$$;

CREATE FUNCTION audit_append(
  p_chain text, p_actor uuid, p_action text, p_object_type text, p_object uuid, p_event uuid, p_right text,
  p_request text, p_data jsonb
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_seq bigint;
  v_prev bytea;
  v_at timestamptz(3);
  v_hash bytea;
BEGIN
  SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO audit_chains (chain, seq, head) VALUES (p_chain, 0, '') ON CONFLICT DO NOTHING;
    SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  END IF;
  v_at := date_trunc('milliseconds', clock_timestamp());
  v_hash := audit_hash(v_prev, p_chain, v_seq, v_at, p_actor, p_action, p_object_type, p_object, p_event, p_right, p_request, p_data);
  INSERT INTO audit_entries (chain, seq, at, actor_id, action, object_type, object_id, event_id, by_right, request_id, data, prev_hash, hash)
  VALUES (p_chain, v_seq, v_at, p_actor, p_action, p_object_type, p_object, p_event, p_right, p_request, p_data, v_prev, v_hash);
  UPDATE audit_chains SET seq = v_seq, head = v_hash WHERE chain = p_chain;
  RETURN v_seq;
END $$;

-- Entries are written once. The application has no other way to change the log; this stops slips.
CREATE FUNCTION audit_entries_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are never changed';
END $$;
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE OR DELETE ON "audit_entries"
  FOR EACH ROW EXECUTE FUNCTION audit_entries_stay();

-- Reports that wait for a first answer, for the response deadline.
CREATE INDEX "incidents_unanswered" ON "incidents" ("created_at") WHERE "state" = 'submitted' AND "escalated_at" IS NULL;
