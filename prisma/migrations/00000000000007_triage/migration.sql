-- CreateTable
CREATE TABLE "unread_marks" (
    "user_id" UUID NOT NULL,
    "incident_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "unread_marks_pkey" PRIMARY KEY ("user_id","incident_id")
);

-- CreateTable
CREATE TABLE "saved_views" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_views_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "unread_marks_incident_id_idx" ON "unread_marks"("incident_id");

-- CreateIndex
CREATE UNIQUE INDEX "saved_views_user_id_name_key" ON "saved_views"("user_id", "name");

-- AddForeignKey
ALTER TABLE "unread_marks" ADD CONSTRAINT "unread_marks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unread_marks" ADD CONSTRAINT "unread_marks_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "incident_counts"
  ADD COLUMN "open_unassigned" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "open_escalated" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "open_critical" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "open_high" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "open_medium" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "open_low" INTEGER NOT NULL DEFAULT 0;

-- What is open, for somebody and for nobody: the lists that a team works from.
CREATE INDEX "incidents_open_of_assignee" ON "incidents" ("assigned_responder_id", "event_id", "created_at" DESC, "id" DESC)
  WHERE "state" IN ('submitted', 'acknowledged', 'investigating');
CREATE INDEX "incidents_open_unassigned" ON "incidents" ("event_id", "created_at" DESC, "id" DESC)
  WHERE "state" IN ('submitted', 'acknowledged', 'investigating') AND "assigned_responder_id" IS NULL;

-- The counters learn what is open, too: without an assignee, escalated, and by severity.
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
    SELECT event_id, state, severity, assigned_responder_id IS NULL AS nobodys, escalated_at IS NOT NULL AS escalated, 1 AS n
      FROM after_change
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

-- What is there already. Nobody writes meanwhile.
LOCK TABLE "incidents" IN SHARE ROW EXCLUSIVE MODE;
UPDATE "incident_counts" c SET
  open_unassigned = g.open_unassigned, open_escalated = g.open_escalated, open_critical = g.open_critical,
  open_high = g.open_high, open_medium = g.open_medium, open_low = g.open_low
FROM (
  SELECT event_id,
    count(*) FILTER (WHERE assigned_responder_id IS NULL) AS open_unassigned,
    count(*) FILTER (WHERE escalated_at IS NOT NULL) AS open_escalated,
    count(*) FILTER (WHERE severity = 'critical') AS open_critical, count(*) FILTER (WHERE severity = 'high') AS open_high,
    count(*) FILTER (WHERE severity = 'medium') AS open_medium, count(*) FILTER (WHERE severity = 'low') AS open_low
  FROM "incidents" WHERE state < 'resolved' GROUP BY event_id
) g
WHERE c.event_id = g.event_id
  AND c.slot = (SELECT min(slot) FROM "incident_counts" x WHERE x.event_id = g.event_id);
