-- CreateTable
CREATE TABLE "retention_rules" (
    "organization_id" UUID NOT NULL,
    "resolved_months" INTEGER,
    "closed_months" INTEGER,
    "without_name_months" INTEGER,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "retention_rules_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "incident_retention" (
    "incident_id" UUID NOT NULL,
    "held_by_id" UUID,
    "reason" TEXT,
    "review_on" DATE,
    "held_at" TIMESTAMPTZ(3),
    "released_at" TIMESTAMPTZ(3),

    CONSTRAINT "incident_retention_pkey" PRIMARY KEY ("incident_id")
);

-- CreateTable
CREATE TABLE "retention_notices" (
    "incident_id" UUID NOT NULL,
    "due_on" DATE NOT NULL,
    "days_ahead" SMALLINT NOT NULL,

    CONSTRAINT "retention_notices_pkey" PRIMARY KEY ("incident_id","due_on","days_ahead")
);

-- CreateTable
CREATE TABLE "report_tombstones" (
    "id" BIGSERIAL NOT NULL,
    "event_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "first_response_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3) NOT NULL,
    "state" "incident_state" NOT NULL,
    "severity" "severity",
    "escalated" BOOLEAN NOT NULL,
    "type" TEXT,
    "named" BOOLEAN NOT NULL,
    "first_reply" DOUBLE PRECISION,

    CONSTRAINT "report_tombstones_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "erasures" (
    "hash" BYTEA NOT NULL,

    CONSTRAINT "erasures_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "incident_retention_held_by_id_idx" ON "incident_retention"("held_by_id");

-- CreateIndex
CREATE INDEX "report_tombstones_event_id_created_at_idx" ON "report_tombstones"("event_id", "created_at");

-- CreateIndex
CREATE INDEX "report_tombstones_event_id_resolved_at_idx" ON "report_tombstones"("event_id", "resolved_at");

-- AddForeignKey
ALTER TABLE "retention_rules" ADD CONSTRAINT "retention_rules_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incident_retention" ADD CONSTRAINT "incident_retention_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incident_retention" ADD CONSTRAINT "incident_retention_held_by_id_fkey" FOREIGN KEY ("held_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "retention_notices" ADD CONSTRAINT "retention_notices_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "report_tombstones" ADD CONSTRAINT "report_tombstones_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "retention_rules" ADD CONSTRAINT "retention_rules_months"
  CHECK (resolved_months BETWEEN 1 AND 240 AND closed_months BETWEEN 1 AND 240 AND without_name_months BETWEEN 1 AND 240);

-- A hold has a reason, a day of review and a time, or none of them.
ALTER TABLE "incident_retention" ADD CONSTRAINT "incident_retention_hold"
  CHECK ((reason IS NULL) = (held_at IS NULL) AND (review_on IS NULL) = (held_at IS NULL));

CREATE OR REPLACE FUNCTION report_changes_on_tombstone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_changes (organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight)
  SELECT e.organization_id, t.event_id, t.created_at, t.state, t.severity, t.escalated, true, t.first_response_at, t.resolved_at, 1
  FROM added t JOIN events e ON e.id = t.event_id;
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

CREATE OR REPLACE TRIGGER report_changes_on_tombstone AFTER INSERT ON report_tombstones
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION report_changes_on_tombstone();
