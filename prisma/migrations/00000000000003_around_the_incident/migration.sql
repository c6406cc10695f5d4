-- CreateEnum
CREATE TYPE "clean_state" AS ENUM ('cleaned', 'clean', 'not_cleanable');

-- CreateEnum
CREATE TYPE "mail_choice" AS ENUM ('off', 'now', 'hourly', 'daily');

-- CreateEnum
CREATE TYPE "token_scope" AS ENUM ('read', 'write');

-- CreateEnum
CREATE TYPE "delivery_state" AS ENUM ('waiting', 'delivered', 'failed');

-- DropIndex
DROP INDEX "team_notes_incident_id_created_at_idx";

-- DropIndex
DROP INDEX "reporter_messages_incident_id_created_at_idx";

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "avatar_size" INTEGER,
ADD COLUMN     "avatar_type" TEXT;

-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "require_second_factor" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "related_files" ADD COLUMN     "clean_state" "clean_state" NOT NULL DEFAULT 'not_cleanable',
ADD COLUMN     "copy_sha256" TEXT,
ADD COLUMN     "description" TEXT,
ADD COLUMN     "event_id" UUID,
ADD COLUMN     "original_key" TEXT,
ADD COLUMN     "original_size" INTEGER,
ADD COLUMN     "reveals" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "visible_to_reporter" BOOLEAN NOT NULL DEFAULT true;

-- A resolution that was filled from a note of the team is the team's.
ALTER TABLE "incidents" ADD COLUMN     "resolution_internal" BOOLEAN NOT NULL DEFAULT false;
UPDATE "incidents" i SET "resolution_internal" = true
  WHERE EXISTS (SELECT 1 FROM "team_notes" n WHERE n."incident_id" = i."id" AND n."body" = i."resolution");

-- Files that are there already belong to the event of their incident.
UPDATE "related_files" f SET "event_id" = i."event_id" FROM "incidents" i WHERE i."id" = f."incident_id";
ALTER TABLE "related_files" ALTER COLUMN "event_id" SET NOT NULL;

-- AlterTable
ALTER TABLE "incident_history" ADD COLUMN     "object_id" UUID;

-- CreateTable
CREATE TABLE "evidence_usage" (
    "event_id" UUID NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "evidence_usage_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "team_note_revisions" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "note_id" UUID NOT NULL,
    "body" TEXT NOT NULL,
    "replaced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "team_note_revisions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team_note_mentions" (
    "note_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "team_note_mentions_pkey" PRIMARY KEY ("note_id","user_id")
);

-- CreateTable
CREATE TABLE "reporter_message_revisions" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "message_id" UUID NOT NULL,
    "body" TEXT NOT NULL,
    "replaced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reporter_message_revisions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "incident_access" (
    "id" BIGSERIAL NOT NULL,
    "incident_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "actor_id" UUID,
    "kind" TEXT NOT NULL,
    "object_id" UUID,
    "by_right" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "incident_access_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notifications" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "organization_id" UUID,
    "event_id" UUID,
    "incident_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "read_at" TIMESTAMPTZ(3),
    "digest_due" TIMESTAMPTZ(3),
    "in_app" BOOLEAN NOT NULL DEFAULT true,
    "cause" TEXT NOT NULL,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification_choices" (
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "in_app" BOOLEAN NOT NULL,
    "mail" "mail_choice" NOT NULL,

    CONSTRAINT "notification_choices_pkey" PRIMARY KEY ("user_id","kind")
);

-- CreateTable
CREATE TABLE "second_factors" (
    "user_id" UUID NOT NULL,
    "secret" BYTEA NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "last_step" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "second_factors_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "recovery_codes" (
    "user_id" UUID NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("user_id","code_hash")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "scope" "token_scope" NOT NULL,
    "event_id" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "known_devices" (
    "user_id" UUID NOT NULL,
    "device_hash" BYTEA NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "known_devices_pkey" PRIMARY KEY ("user_id","device_hash")
);

-- CreateTable
CREATE TABLE "system_settings" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "system_settings_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "secret" BYTEA NOT NULL,
    "kinds" TEXT[],
    "description" TEXT,
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "failing_since" TIMESTAMPTZ(3),
    "created_by_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "cause" TEXT NOT NULL,
    "state" "delivery_state" NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "response_status" INTEGER,
    "failure" TEXT,
    "duration_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempted_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "team_note_revisions_note_id_replaced_at_idx" ON "team_note_revisions"("note_id", "replaced_at");

-- CreateIndex
CREATE INDEX "team_note_mentions_user_id_idx" ON "team_note_mentions"("user_id");

-- CreateIndex
CREATE INDEX "reporter_message_revisions_message_id_replaced_at_idx" ON "reporter_message_revisions"("message_id", "replaced_at");

-- CreateIndex
CREATE INDEX "incident_access_incident_id_at_id_idx" ON "incident_access"("incident_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "notifications_user_id_created_at_id_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "notifications_incident_id_idx" ON "notifications"("incident_id");

-- CreateIndex
CREATE INDEX "notifications_event_id_idx" ON "notifications"("event_id");

-- CreateIndex
CREATE INDEX "notifications_organization_id_idx" ON "notifications"("organization_id");

-- CreateIndex
CREATE UNIQUE INDEX "notifications_user_id_cause_key" ON "notifications"("user_id", "cause");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_token_hash_key" ON "api_tokens"("token_hash");

-- CreateIndex
CREATE INDEX "api_tokens_user_id_created_at_idx" ON "api_tokens"("user_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "api_tokens_event_id_idx" ON "api_tokens"("event_id");

-- CreateIndex
CREATE INDEX "webhooks_organization_id_created_at_idx" ON "webhooks"("organization_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_created_at_id_idx" ON "webhook_deliveries"("webhook_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_webhook_id_cause_key" ON "webhook_deliveries"("webhook_id", "cause");

-- CreateIndex
CREATE INDEX "users_created_at_id_idx" ON "users"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "related_files_original_key_key" ON "related_files"("original_key");

-- CreateIndex
CREATE INDEX "team_notes_incident_id_created_at_id_idx" ON "team_notes"("incident_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "reporter_messages_incident_id_created_at_id_idx" ON "reporter_messages"("incident_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "evidence_usage" ADD CONSTRAINT "evidence_usage_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_note_revisions" ADD CONSTRAINT "team_note_revisions_note_id_fkey" FOREIGN KEY ("note_id") REFERENCES "team_notes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_note_mentions" ADD CONSTRAINT "team_note_mentions_note_id_fkey" FOREIGN KEY ("note_id") REFERENCES "team_notes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_note_mentions" ADD CONSTRAINT "team_note_mentions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reporter_message_revisions" ADD CONSTRAINT "reporter_message_revisions_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "reporter_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incident_access" ADD CONSTRAINT "incident_access_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_choices" ADD CONSTRAINT "notification_choices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "related_files_event_id_idx" ON "related_files"("event_id");

-- The unread count, and what a digest takes along, without reading what is neither.
CREATE INDEX "notifications_unread" ON "notifications" ("user_id") WHERE "read_at" IS NULL AND "in_app";
CREATE INDEX "notifications_digest" ON "notifications" ("digest_due", "user_id") WHERE "digest_due" IS NOT NULL;

-- Lists of the audit log by action and by time, newest first.
CREATE INDEX "audit_entries_chain_action" ON "audit_entries" ("chain", "action", "seq" DESC);

-- People by name, and the search over both, for administration.
CREATE INDEX "users_lower_name" ON "users" (lower("name"), "id");
CREATE INDEX "users_email_trgm" ON "users" USING gin ("email" gin_trgm_ops);

-- Bytes of evidence an event: the row is locked by whoever adds to it, so that two uploads can't both be the
-- last that fits.
CREATE FUNCTION evidence_usage_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO evidence_usage AS u (event_id, bytes)
  SELECT event_id, sum(size::bigint + coalesce(original_size, 0)) FROM added GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id) DO UPDATE SET bytes = u.bytes + excluded.bytes;
  RETURN NULL;
END $$;
CREATE FUNCTION evidence_usage_remove() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE evidence_usage u SET bytes = greatest(0, u.bytes - r.bytes)
  FROM (SELECT event_id, sum(size::bigint + coalesce(original_size, 0)) AS bytes FROM removed GROUP BY event_id) r
  WHERE u.event_id = r.event_id;
  RETURN NULL;
END $$;
CREATE TRIGGER evidence_usage_on_insert AFTER INSERT ON "related_files"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION evidence_usage_add();
CREATE TRIGGER evidence_usage_on_delete AFTER DELETE ON "related_files"
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION evidence_usage_remove();
INSERT INTO evidence_usage (event_id, bytes)
  SELECT event_id, sum(size::bigint) FROM related_files GROUP BY event_id;
