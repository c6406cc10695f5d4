-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "mail_due" TIMESTAMPTZ(3),
ADD COLUMN     "mailed_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "untold_facts" (
    "id" BIGSERIAL NOT NULL,
    "cause" UUID NOT NULL DEFAULT gen_random_uuid(),
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kind" TEXT NOT NULL,
    "actor_id" UUID,
    "organization_id" UUID NOT NULL,
    "event_id" UUID,
    "incident_id" UUID,
    "person_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "state" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "failures" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "untold_facts_pkey" PRIMARY KEY ("id")
);

-- Rows come and go by the second: what is dead among them must not be walked over for long.
ALTER TABLE "untold_facts" SET (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);

-- What waits to be mailed, and nothing else.
CREATE INDEX "notifications_mail" ON "notifications" ("mail_due") WHERE "mail_due" IS NOT NULL;

-- Facts and mails that wait as jobs of the version before go on as what takes their place.
INSERT INTO untold_facts (cause, at, kind, actor_id, organization_id, event_id, incident_id, person_ids, state)
  SELECT (j.payload->>'cause')::uuid, coalesce((j.payload->>'at')::timestamptz, now()), j.payload->>'kind',
    (j.payload->>'actorId')::uuid, (j.payload->>'organizationId')::uuid, (j.payload->>'eventId')::uuid,
    (j.payload->>'incidentId')::uuid,
    ARRAY(SELECT p::uuid FROM json_array_elements_text(coalesce(j.payload->'personIds', '[]')) p), j.payload->>'state'
  FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  WHERE t.identifier = 'tell' ORDER BY j.id;
UPDATE notifications n SET mail_due = now()
  FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  WHERE t.identifier = 'mail.notification' AND n.id = (j.payload->>'notificationId')::uuid;
DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
  WHERE t.id = j.task_id AND t.identifier IN ('tell', 'mail.notification');
