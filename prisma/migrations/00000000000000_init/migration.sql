-- The database of Heed. What its tables and columns hold is in prisma/schema.prisma; the current text of functions and
-- triggers is in prisma/functions. The first part is what Prisma writes from the schema, without two indexes of incidents
-- that are by hand in the second.

CREATE TYPE "organization_role" AS ENUM ('org_admin', 'org_viewer');
CREATE TYPE "event_role_name" AS ENUM ('Reporter', 'Responder', 'Admin');
CREATE TYPE "incident_state" AS ENUM ('submitted', 'acknowledged', 'investigating', 'resolved', 'closed');
CREATE TYPE "severity" AS ENUM ('low', 'medium', 'high', 'critical');
CREATE TYPE "report_access" AS ENUM ('account', 'invite');
CREATE TYPE "day_part" AS ENUM ('morning', 'afternoon', 'evening', 'night');
CREATE TYPE "contact_method" AS ENUM ('email', 'phone', 'in_person', 'no_contact');
CREATE TYPE "deadline_kind" AS ENUM ('acknowledge', 'update');
CREATE TYPE "message_sender" AS ENUM ('team', 'reporter');
CREATE TYPE "intake_channel" AS ENUM ('in_person', 'phone', 'chat', 'email', 'overheard');
CREATE TYPE "first_response_kind" AS ENUM ('quiet_place', 'water', 'escort', 'friend_called', 'medical', 'police_wanted', 'police_declined');
CREATE TYPE "letterbox_kind" AS ENUM ('reported_person', 'witness');
CREATE TYPE "clean_state" AS ENUM ('cleaned', 'clean', 'not_cleanable', 'not_inspected');
CREATE TYPE "evidence_part" AS ENUM ('file', 'original');
CREATE TYPE "evidence_fault" AS ENUM ('missing', 'damaged', 'unreadable');
CREATE TYPE "mail_frequency" AS ENUM ('off', 'now', 'hourly', 'daily');
CREATE TYPE "token_scope" AS ENUM ('read', 'write', 'export');
CREATE TYPE "delivery_state" AS ENUM ('waiting', 'delivered', 'failed');
CREATE TYPE "conflict_degree" AS ENUM ('none', 'soft');
CREATE TYPE "reader_access" AS ENUM ('none', 'numbers', 'ask', 'full');
CREATE TYPE "reader_source" AS ENUM ('reporter', 'team', 'recusal', 'outside', 'answer', 'emergency');

--
-- Accounts and requests
--

CREATE TABLE "users" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "email" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "password_hash" TEXT NOT NULL,
  "system_admin" BOOLEAN NOT NULL DEFAULT false,
  "avatar_key" TEXT,
  "avatar_type" TEXT,
  "avatar_size" INTEGER,
  "locale" TEXT,
  "time_zone" TEXT,
  "single_keys" BOOLEAN NOT NULL DEFAULT true,
  "disabled_at" TIMESTAMPTZ(3),
  "email_verified_at" TIMESTAMPTZ(3),
  "invitation_mail_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");
CREATE INDEX "users_created_at_id_idx" ON "users"("created_at" DESC, "id" DESC);

CREATE TABLE "sessions" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "token_hash" BYTEA NOT NULL,
  "user_id" UUID NOT NULL,
  "user_agent" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "sessions_token_hash_key" ON "sessions"("token_hash");
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

CREATE TABLE "password_resets" (
  "user_id" UUID NOT NULL,
  "token_hash" BYTEA NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "password_resets_pkey" PRIMARY KEY ("user_id")
);
CREATE UNIQUE INDEX "password_resets_token_hash_key" ON "password_resets"("token_hash");

CREATE TABLE "email_changes" (
  "user_id" UUID NOT NULL,
  "new_email" TEXT NOT NULL,
  "token_hash" BYTEA,
  "requested_by" UUID NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "email_changes_pkey" PRIMARY KEY ("user_id")
);
CREATE UNIQUE INDEX "email_changes_token_hash_key" ON "email_changes"("token_hash");

CREATE TABLE "email_verifications" (
  "user_id" UUID NOT NULL,
  "email" TEXT NOT NULL,
  "token_hash" BYTEA NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "email_verifications_pkey" PRIMARY KEY ("user_id")
);
CREATE UNIQUE INDEX "email_verifications_token_hash_key" ON "email_verifications"("token_hash");

CREATE TABLE "sign_in_delays" (
  "key" TEXT NOT NULL,
  "failures" INTEGER NOT NULL DEFAULT 0,
  "next_allowed" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "sign_in_delays_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "sign_in_delays_updated_at_idx" ON "sign_in_delays"("updated_at");

CREATE TABLE "sign_in_retries" (
  "key" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "allowed_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "sign_in_retries_pkey" PRIMARY KEY ("key","name")
);
CREATE INDEX "sign_in_retries_allowed_at_idx" ON "sign_in_retries"("allowed_at");

CREATE TABLE "rate_limits" (
  "key" VARCHAR(255) NOT NULL,
  "points" INTEGER NOT NULL DEFAULT 0,
  "expire" BIGINT,
  CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "rate_limits_expire_idx" ON "rate_limits"("expire");

CREATE TABLE "refused_forms" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "sealed" BYTEA NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "refused_forms_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "refused_forms_created_at_idx" ON "refused_forms"("created_at");

CREATE TABLE "idempotency_keys" (
  "key_hash" BYTEA NOT NULL,
  "content_hash" BYTEA NOT NULL,
  "incident_id" UUID NOT NULL,
  "user_id" UUID,
  CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("key_hash")
);
CREATE UNIQUE INDEX "idempotency_keys_incident_id_key" ON "idempotency_keys"("incident_id");
CREATE INDEX "idempotency_keys_user_id_idx" ON "idempotency_keys"("user_id");

CREATE TABLE "idempotent_requests" (
  "key_hash" BYTEA NOT NULL,
  "content_hash" BYTEA NOT NULL,
  "user_id" UUID NOT NULL,
  "claim" UUID NOT NULL,
  "claimed_until" TIMESTAMPTZ(3) NOT NULL,
  "took_effect" BOOLEAN NOT NULL DEFAULT false,
  "response" BYTEA,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "idempotent_requests_pkey" PRIMARY KEY ("key_hash")
);
CREATE INDEX "idempotent_requests_user_id_idx" ON "idempotent_requests"("user_id");
CREATE INDEX "idempotent_requests_created_at_idx" ON "idempotent_requests"("created_at");

--
-- Organizations and events
--

CREATE TABLE "organizations" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "name" TEXT NOT NULL,
  "slug" TEXT NOT NULL,
  "description" TEXT,
  "website" TEXT,
  "logo_key" TEXT,
  "logo_type" TEXT,
  "logo_size" INTEGER,
  "require_second_factor" BOOLEAN NOT NULL DEFAULT false,
  "conflict_check" BOOLEAN NOT NULL DEFAULT false,
  "escalation_contact_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "organizations_slug_key" ON "organizations"("slug");
CREATE INDEX "organizations_created_at_id_idx" ON "organizations"("created_at" DESC, "id" DESC);
CREATE INDEX "organizations_escalation_contact_id_idx" ON "organizations"("escalation_contact_id");

CREATE TABLE "retention_rules" (
  "organization_id" UUID NOT NULL,
  "resolved_months" INTEGER,
  "closed_months" INTEGER,
  "without_name_months" INTEGER,
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "retention_rules_pkey" PRIMARY KEY ("organization_id")
);

CREATE TABLE "organization_members" (
  "organization_id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "role" "organization_role" NOT NULL,
  "pending" BOOLEAN NOT NULL DEFAULT false,
  "invited_by_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "organization_members_pkey" PRIMARY KEY ("organization_id","user_id")
);
CREATE INDEX "organization_members_user_id_idx" ON "organization_members"("user_id");

CREATE TABLE "events" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "organization_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "slug" TEXT NOT NULL,
  "description" TEXT,
  "start_date" TIMESTAMPTZ(3),
  "end_date" TIMESTAMPTZ(3),
  "time_zone" TEXT,
  "website" TEXT,
  "contact_email" TEXT,
  "code_of_conduct" TEXT,
  "logo_url" TEXT,
  "logo_key" TEXT,
  "logo_type" TEXT,
  "logo_size" INTEGER,
  "is_active" BOOLEAN NOT NULL DEFAULT true,
  "reader_missing_since_notice" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "events_slug_key" ON "events"("slug");
CREATE INDEX "events_organization_id_created_at_id_idx" ON "events"("organization_id", "created_at" DESC, "id" DESC);

CREATE TABLE "event_report_settings" (
  "event_id" UUID NOT NULL,
  "show_team" BOOLEAN NOT NULL DEFAULT false,
  "emergency_contact" TEXT,
  "emergency_number" TEXT,
  "emergency_phone" TEXT,
  "exit_url" TEXT,
  "answer_within_hours" INTEGER,
  "next_update_within_days" INTEGER,
  "who_can_report" "report_access" NOT NULL DEFAULT 'account',
  "search_engines" BOOLEAN NOT NULL DEFAULT true,
  "poster_opened_at" TIMESTAMPTZ(3),
  "without_account" BOOLEAN NOT NULL DEFAULT true,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "event_report_settings_pkey" PRIMARY KEY ("event_id")
);

CREATE TABLE "outcome_templates" (
  "organization_id" UUID NOT NULL,
  "locale" TEXT NOT NULL,
  "state" "incident_state" NOT NULL,
  "body" TEXT NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "outcome_templates_pkey" PRIMARY KEY ("organization_id","locale","state")
);

CREATE TABLE "event_roles" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "event_id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "role_name" "event_role_name" NOT NULL,
  "pending" BOOLEAN NOT NULL DEFAULT false,
  "invited_by_id" UUID,
  "counts_from" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "event_roles_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "event_roles_user_id_event_id_idx" ON "event_roles"("user_id", "event_id");
CREATE UNIQUE INDEX "event_roles_event_id_user_id_role_name_key" ON "event_roles"("event_id", "user_id", "role_name");

CREATE TABLE "invites" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "code" TEXT NOT NULL,
  "organization_id" UUID NOT NULL,
  "event_id" UUID,
  "role" TEXT NOT NULL,
  "initial" BOOLEAN NOT NULL DEFAULT false,
  "expires_at" TIMESTAMPTZ(3),
  "max_uses" INTEGER,
  "use_count" INTEGER NOT NULL DEFAULT 0,
  "disabled" BOOLEAN NOT NULL DEFAULT false,
  "note" TEXT,
  "created_by_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "invites_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "invites_code_key" ON "invites"("code");
CREATE INDEX "invites_organization_id_created_at_idx" ON "invites"("organization_id", "created_at" DESC);
CREATE INDEX "invites_event_id_created_at_idx" ON "invites"("event_id", "created_at" DESC);

CREATE TABLE "invite_uses" (
  "invite_id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "invite_uses_pkey" PRIMARY KEY ("invite_id","user_id")
);
CREATE INDEX "invite_uses_user_id_idx" ON "invite_uses"("user_id");

--
-- Incidents
--

CREATE TABLE "incidents" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "event_id" UUID NOT NULL,
  "title" TEXT NOT NULL,
  "description" TEXT NOT NULL,
  "state" "incident_state" NOT NULL DEFAULT 'submitted',
  "severity" "severity",
  "urgent" BOOLEAN NOT NULL DEFAULT false,
  "type" TEXT,
  "contact_method" "contact_method" NOT NULL DEFAULT 'email',
  "contact_phone" TEXT,
  "incident_at" TIMESTAMPTZ(3),
  "incident_on" DATE,
  "incident_day_part" "day_part",
  "location" TEXT,
  "parties" TEXT,
  "reporter_id" UUID,
  "assigned_responder_id" UUID,
  "resolution" TEXT,
  "first_response_at" TIMESTAMPTZ(3),
  "resolved_at" TIMESTAMPTZ(3),
  "escalated_at" TIMESTAMPTZ(3),
  "reopened_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "due_for" "deadline_kind",
  "due_since" TIMESTAMPTZ(3),
  "due_at" TIMESTAMPTZ(3),
  "first_response_due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_message_from" "message_sender",
  "last_message_at" TIMESTAMPTZ(3),
  "awaits_reporter" BOOLEAN NOT NULL DEFAULT false,
  "message_after_closing" BOOLEAN NOT NULL DEFAULT false,
  "has_mailbox" BOOLEAN NOT NULL DEFAULT false,
  "unconfirmed" BOOLEAN NOT NULL DEFAULT false,
  "listed" BOOLEAN NOT NULL DEFAULT false,
  "outside_person_id" UUID,
  "conflict_check" BOOLEAN NOT NULL DEFAULT false,
  "reported_person_name" TEXT,
  "undo" JSONB,
  CONSTRAINT "incidents_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "incidents_event_id_state_created_at_id_idx" ON "incidents"("event_id", "state", "created_at" DESC, "id" DESC);
CREATE INDEX "incidents_event_id_resolved_at_idx" ON "incidents"("event_id", "resolved_at");
CREATE INDEX "incidents_created_at_id_idx" ON "incidents"("created_at" DESC, "id" DESC);
CREATE INDEX "incidents_reporter_id_event_id_created_at_idx" ON "incidents"("reporter_id", "event_id", "created_at" DESC);
CREATE INDEX "incidents_assigned_responder_id_event_id_created_at_idx" ON "incidents"("assigned_responder_id", "event_id", "created_at" DESC);

CREATE TABLE "report_mailboxes" (
  "incident_id" UUID NOT NULL,
  "receipt_hash" BYTEA,
  "confirmed" BOOLEAN NOT NULL DEFAULT false,
  "confirmed_on_sending" BOOLEAN NOT NULL DEFAULT false,
  "withdrawn_on" DATE,
  "closed_on" DATE,
  "handing_over" BOOLEAN NOT NULL DEFAULT false,
  "hidden_by_name" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "report_mailboxes_pkey" PRIMARY KEY ("incident_id")
);
CREATE UNIQUE INDEX "report_mailboxes_receipt_hash_key" ON "report_mailboxes"("receipt_hash");

CREATE TABLE "intakes" (
  "incident_id" UUID NOT NULL,
  "taker_id" UUID,
  "witness_id" UUID,
  "channel" "intake_channel" NOT NULL,
  "taken_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "confirmed_at" TIMESTAMPTZ(3),
  "corrected" BOOLEAN NOT NULL DEFAULT false,
  "draft_hash" BYTEA,
  CONSTRAINT "intakes_pkey" PRIMARY KEY ("incident_id")
);
CREATE UNIQUE INDEX "intakes_draft_hash_key" ON "intakes"("draft_hash");
CREATE INDEX "intakes_taker_id_idx" ON "intakes"("taker_id");
CREATE INDEX "intakes_witness_id_idx" ON "intakes"("witness_id");

CREATE TABLE "first_responses" (
  "incident_id" UUID NOT NULL,
  "kind" "first_response_kind" NOT NULL,
  "done_at" TIMESTAMPTZ(3),
  CONSTRAINT "first_responses_pkey" PRIMARY KEY ("incident_id","kind")
);

CREATE TABLE "letterboxes" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "incident_id" UUID NOT NULL,
  "kind" "letterbox_kind" NOT NULL,
  "label" TEXT NOT NULL,
  "code_hash" BYTEA,
  "created_by_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "closed_at" TIMESTAMPTZ(3),
  CONSTRAINT "letterboxes_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "letterboxes_code_hash_key" ON "letterboxes"("code_hash");
CREATE INDEX "letterboxes_incident_id_idx" ON "letterboxes"("incident_id");
CREATE INDEX "letterboxes_created_by_id_idx" ON "letterboxes"("created_by_id");

CREATE TABLE "letters" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "letterbox_id" UUID NOT NULL,
  "seq" BIGSERIAL NOT NULL,
  "from_holder" BOOLEAN NOT NULL DEFAULT false,
  "author_id" UUID,
  "body" TEXT,
  "is_appeal" BOOLEAN NOT NULL DEFAULT false,
  "reported" TEXT,
  "finding" TEXT,
  "measure" TEXT,
  "measure_ends_on" DATE,
  "appeal" TEXT,
  "read_on" DATE,
  "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "letters_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "letters_letterbox_id_seq_idx" ON "letters"("letterbox_id", "seq");
CREATE INDEX "letters_author_id_idx" ON "letters"("author_id");

CREATE TABLE "mailbox_keys" (
  "key_hash" BYTEA NOT NULL,
  "content_hash" BYTEA NOT NULL,
  "incident_id" UUID,
  "letterbox_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "mailbox_keys_pkey" PRIMARY KEY ("key_hash")
);
CREATE INDEX "mailbox_keys_incident_id_idx" ON "mailbox_keys"("incident_id");
CREATE INDEX "mailbox_keys_letterbox_id_idx" ON "mailbox_keys"("letterbox_id");
CREATE INDEX "mailbox_keys_created_at_idx" ON "mailbox_keys"("created_at");

CREATE TABLE "incident_retention" (
  "incident_id" UUID NOT NULL,
  "held_by_id" UUID,
  "reason" TEXT,
  "review_on" DATE,
  "held_at" TIMESTAMPTZ(3),
  "released_at" TIMESTAMPTZ(3),
  CONSTRAINT "incident_retention_pkey" PRIMARY KEY ("incident_id")
);
CREATE INDEX "incident_retention_held_by_id_idx" ON "incident_retention"("held_by_id");

CREATE TABLE "retention_notices" (
  "incident_id" UUID NOT NULL,
  "due_on" DATE NOT NULL,
  "days_ahead" SMALLINT NOT NULL,
  "given_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "retention_notices_pkey" PRIMARY KEY ("incident_id","due_on","days_ahead")
);

CREATE TABLE "report_tombstones" (
  "id" BIGSERIAL NOT NULL,
  "event_id" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "first_response_at" TIMESTAMPTZ(3),
  "first_response_due_at" TIMESTAMPTZ(3) NOT NULL,
  "resolved_at" TIMESTAMPTZ(3) NOT NULL,
  "state" "incident_state" NOT NULL,
  "severity" "severity",
  "escalated" BOOLEAN NOT NULL,
  "type" TEXT,
  "named" BOOLEAN NOT NULL,
  "first_reply" DOUBLE PRECISION,
  CONSTRAINT "report_tombstones_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "report_tombstones_event_id_created_at_idx" ON "report_tombstones"("event_id", "created_at");
CREATE INDEX "report_tombstones_event_id_resolved_at_idx" ON "report_tombstones"("event_id", "resolved_at");

CREATE TABLE "erasures" (
  "hash" BYTEA NOT NULL,
  CONSTRAINT "erasures_pkey" PRIMARY KEY ("hash")
);

CREATE TABLE "incident_counts" (
  "event_id" UUID NOT NULL,
  "slot" SMALLINT NOT NULL,
  "submitted" INTEGER NOT NULL DEFAULT 0,
  "acknowledged" INTEGER NOT NULL DEFAULT 0,
  "investigating" INTEGER NOT NULL DEFAULT 0,
  "resolved" INTEGER NOT NULL DEFAULT 0,
  "closed" INTEGER NOT NULL DEFAULT 0,
  "open_unassigned" INTEGER NOT NULL DEFAULT 0,
  "open_escalated" INTEGER NOT NULL DEFAULT 0,
  "open_critical" INTEGER NOT NULL DEFAULT 0,
  "open_high" INTEGER NOT NULL DEFAULT 0,
  "open_medium" INTEGER NOT NULL DEFAULT 0,
  "open_low" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "incident_counts_pkey" PRIMARY KEY ("event_id","slot")
);

--
-- Evidence
--

CREATE TABLE "related_files" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "incident_id" UUID NOT NULL,
  "event_id" UUID NOT NULL,
  "filename" TEXT NOT NULL,
  "mimetype" TEXT NOT NULL,
  "size" INTEGER NOT NULL,
  "sha256" TEXT NOT NULL,
  "copy_sha256" TEXT,
  "storage_key" TEXT NOT NULL,
  "original_key" TEXT,
  "original_size" INTEGER,
  "original_key_id" TEXT,
  "clean_state" "clean_state" NOT NULL DEFAULT 'not_inspected',
  "reveals" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "lost" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "description" TEXT,
  "visible_to_reporter" BOOLEAN NOT NULL DEFAULT true,
  "uploaded_by_id" UUID,
  "letterbox_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "related_files_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "related_files_storage_key_key" ON "related_files"("storage_key");
CREATE UNIQUE INDEX "related_files_original_key_key" ON "related_files"("original_key");
CREATE INDEX "related_files_incident_id_created_at_idx" ON "related_files"("incident_id", "created_at");
CREATE INDEX "related_files_event_id_uploaded_by_id_idx" ON "related_files"("event_id", "uploaded_by_id");
CREATE INDEX "related_files_letterbox_id_idx" ON "related_files"("letterbox_id");

CREATE TABLE "evidence_problems" (
  "file_id" UUID NOT NULL,
  "part" "evidence_part" NOT NULL,
  "fault" "evidence_fault" NOT NULL,
  "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "checked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "evidence_problems_pkey" PRIMARY KEY ("file_id","part")
);
CREATE INDEX "evidence_problems_found_at_idx" ON "evidence_problems"("found_at");

CREATE TABLE "evidence_checks" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "finished_at" TIMESTAMPTZ(3),
  "completed_at" TIMESTAMPTZ(3),
  "last_file_id" UUID,
  "files" INTEGER NOT NULL DEFAULT 0,
  "bytes" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "evidence_checks_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "evidence_usage" (
  "event_id" UUID NOT NULL,
  "bytes" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "evidence_usage_pkey" PRIMARY KEY ("event_id")
);

--
-- History, notes and messages
--

CREATE TABLE "incident_history" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "incident_id" UUID NOT NULL,
  "event_id" UUID NOT NULL,
  "actor_id" UUID,
  "action" TEXT NOT NULL,
  "from_value" TEXT,
  "to_value" TEXT,
  "object_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "seq" BIGSERIAL NOT NULL,
  CONSTRAINT "incident_history_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "incident_history_incident_id_created_at_idx" ON "incident_history"("incident_id", "created_at");
CREATE INDEX "incident_history_event_id_actor_id_created_at_idx" ON "incident_history"("event_id", "actor_id", "created_at" DESC);

CREATE TABLE "team_notes" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "incident_id" UUID NOT NULL,
  "author_id" UUID,
  "body" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "team_notes_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "team_notes_incident_id_created_at_id_idx" ON "team_notes"("incident_id", "created_at", "id");
CREATE INDEX "team_notes_author_id_created_at_idx" ON "team_notes"("author_id", "created_at" DESC);

CREATE TABLE "team_note_revisions" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "note_id" UUID NOT NULL,
  "body" TEXT NOT NULL,
  "replaced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "team_note_revisions_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "team_note_revisions_note_id_replaced_at_idx" ON "team_note_revisions"("note_id", "replaced_at");

CREATE TABLE "team_note_mentions" (
  "note_id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  CONSTRAINT "team_note_mentions_pkey" PRIMARY KEY ("note_id","user_id")
);
CREATE INDEX "team_note_mentions_user_id_idx" ON "team_note_mentions"("user_id");

CREATE TABLE "reporter_messages" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "incident_id" UUID NOT NULL,
  "author_id" UUID,
  "from_mailbox" BOOLEAN NOT NULL DEFAULT false,
  "body" TEXT NOT NULL,
  "wait_for_reporter" BOOLEAN NOT NULL DEFAULT false,
  "outcome" BOOLEAN NOT NULL DEFAULT false,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "reporter_messages_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "reporter_messages_incident_id_created_at_id_idx" ON "reporter_messages"("incident_id", "created_at", "id");
CREATE INDEX "reporter_messages_author_id_created_at_idx" ON "reporter_messages"("author_id", "created_at" DESC);

CREATE TABLE "reporter_message_revisions" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "message_id" UUID NOT NULL,
  "body" TEXT NOT NULL,
  "replaced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "reporter_message_revisions_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "reporter_message_revisions_message_id_replaced_at_idx" ON "reporter_message_revisions"("message_id", "replaced_at");

CREATE TABLE "incident_access" (
  "id" BIGSERIAL NOT NULL,
  "incident_id" UUID NOT NULL,
  "event_id" UUID NOT NULL,
  "actor_id" UUID,
  "kind" TEXT NOT NULL,
  "object_id" UUID,
  "by_right" TEXT NOT NULL,
  "reason" TEXT,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "incident_access_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "incident_access_incident_id_at_id_idx" ON "incident_access"("incident_id", "at" DESC, "id" DESC);

--
-- Notifications
--

CREATE TABLE "outbox_events" (
  "id" BIGSERIAL NOT NULL,
  "deduplication_id" UUID NOT NULL DEFAULT gen_random_uuid(),
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
  CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("id")
);

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
  "mail_due" TIMESTAMPTZ(3),
  "mailed_at" TIMESTAMPTZ(3),
  "in_app" BOOLEAN NOT NULL DEFAULT true,
  "deduplication_id" TEXT NOT NULL,
  CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "notifications_user_id_created_at_id_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC);
CREATE INDEX "notifications_incident_id_idx" ON "notifications"("incident_id");
CREATE INDEX "notifications_event_id_idx" ON "notifications"("event_id");
CREATE INDEX "notifications_organization_id_idx" ON "notifications"("organization_id");
CREATE UNIQUE INDEX "notifications_user_id_deduplication_id_key" ON "notifications"("user_id", "deduplication_id");

CREATE TABLE "notification_settings" (
  "user_id" UUID NOT NULL,
  "kind" TEXT NOT NULL,
  "in_app" BOOLEAN NOT NULL,
  "mail" "mail_frequency" NOT NULL,
  CONSTRAINT "notification_settings_pkey" PRIMARY KEY ("user_id","kind")
);

--
-- Second factors, tokens and devices
--

CREATE TABLE "second_factors" (
  "user_id" UUID NOT NULL,
  "secret" BYTEA NOT NULL,
  "confirmed_at" TIMESTAMPTZ(3),
  "last_step" BIGINT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "second_factors_pkey" PRIMARY KEY ("user_id")
);

CREATE TABLE "recovery_codes" (
  "user_id" UUID NOT NULL,
  "code_hash" BYTEA NOT NULL,
  "used_at" TIMESTAMPTZ(3),
  CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("user_id","code_hash")
);

CREATE TABLE "api_tokens" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "user_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "token_hash" BYTEA NOT NULL,
  "scope" "token_scope" NOT NULL,
  "event_id" UUID,
  "organization_id" UUID,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "last_used_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "api_tokens_token_hash_key" ON "api_tokens"("token_hash");
CREATE INDEX "api_tokens_user_id_created_at_idx" ON "api_tokens"("user_id", "created_at" DESC);
CREATE INDEX "api_tokens_event_id_idx" ON "api_tokens"("event_id");
CREATE INDEX "api_tokens_organization_id_idx" ON "api_tokens"("organization_id");

CREATE TABLE "service_tokens" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "organization_id" UUID NOT NULL,
  "event_id" UUID,
  "name" TEXT NOT NULL,
  "token_hash" BYTEA NOT NULL,
  "scope" "token_scope" NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "last_used_at" TIMESTAMPTZ(3),
  "revoked_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "service_tokens_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "service_tokens_token_hash_key" ON "service_tokens"("token_hash");
CREATE INDEX "service_tokens_organization_id_created_at_idx" ON "service_tokens"("organization_id", "created_at" DESC);
CREATE INDEX "service_tokens_event_id_idx" ON "service_tokens"("event_id");

CREATE TABLE "known_devices" (
  "user_id" UUID NOT NULL,
  "device_hash" BYTEA NOT NULL,
  "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "known_devices_pkey" PRIMARY KEY ("user_id","device_hash")
);

--
-- Settings and webhooks
--

CREATE TABLE "system_settings" (
  "key" TEXT NOT NULL,
  "value" JSONB NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "system_settings_pkey" PRIMARY KEY ("key")
);

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
CREATE INDEX "webhooks_organization_id_created_at_idx" ON "webhooks"("organization_id", "created_at" DESC);

CREATE TABLE "webhook_deliveries" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "webhook_id" UUID NOT NULL,
  "kind" TEXT NOT NULL,
  "payload" JSONB NOT NULL,
  "deduplication_id" TEXT NOT NULL,
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
CREATE INDEX "webhook_deliveries_webhook_id_created_at_id_idx" ON "webhook_deliveries"("webhook_id", "created_at" DESC, "id" DESC);
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries"("created_at");
CREATE UNIQUE INDEX "webhook_deliveries_webhook_id_deduplication_id_key" ON "webhook_deliveries"("webhook_id", "deduplication_id");

--
-- Readers of incidents
--

CREATE TABLE "incident_readers" (
  "incident_id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "access" "reader_access" NOT NULL,
  "source" "reader_source" NOT NULL,
  "by_id" UUID,
  "reason" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "opened_until" TIMESTAMPTZ(3),
  "answer" "conflict_degree",
  CONSTRAINT "incident_readers_pkey" PRIMARY KEY ("incident_id","user_id")
);
CREATE INDEX "incident_readers_user_id_source_idx" ON "incident_readers"("user_id", "source");

CREATE TABLE "deleted_incidents_under_check" (
  "incident_id" UUID NOT NULL,
  "reporter_id" UUID,
  CONSTRAINT "deleted_incidents_under_check_pkey" PRIMARY KEY ("incident_id")
);

--
-- Pins, marks and views
--

CREATE TABLE "pins" (
  "user_id" UUID NOT NULL,
  "incident_id" UUID NOT NULL,
  "event_id" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "pins_pkey" PRIMARY KEY ("user_id","incident_id")
);
CREATE INDEX "pins_user_id_event_id_idx" ON "pins"("user_id", "event_id");
CREATE INDEX "pins_incident_id_idx" ON "pins"("incident_id");

CREATE TABLE "unread_markers" (
  "user_id" UUID NOT NULL,
  "incident_id" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "unread_markers_pkey" PRIMARY KEY ("user_id","incident_id")
);
CREATE INDEX "unread_markers_incident_id_idx" ON "unread_markers"("incident_id");

CREATE TABLE "saved_views" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "user_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "query" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "saved_views_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "saved_views_user_id_name_key" ON "saved_views"("user_id", "name");

--
-- Audit log and keys
--

CREATE TABLE "audit_entries" (
  "chain" VARCHAR(36) NOT NULL,
  "seq" BIGINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "actor_id" UUID,
  "action" TEXT NOT NULL,
  "object_type" TEXT NOT NULL,
  "object_id" UUID,
  "event_id" UUID,
  "by_right" TEXT NOT NULL,
  "request_id" TEXT,
  "data" JSONB NOT NULL DEFAULT '{}',
  "prev_hash" BYTEA NOT NULL,
  "hash" BYTEA NOT NULL,
  CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("chain","seq")
);
CREATE INDEX "audit_entries_event_id_seq_idx" ON "audit_entries"("event_id", "seq" DESC);
CREATE INDEX "audit_entries_actor_id_at_idx" ON "audit_entries"("actor_id", "at" DESC);

CREATE TABLE "audit_chains" (
  "chain" VARCHAR(36) NOT NULL,
  "seq" BIGINT NOT NULL DEFAULT 0,
  "head" BYTEA NOT NULL,
  CONSTRAINT "audit_chains_pkey" PRIMARY KEY ("chain")
);

CREATE TABLE "audit_seals" (
  "chain" VARCHAR(36) NOT NULL,
  "seq" BIGINT NOT NULL,
  "hash" BYTEA NOT NULL,
  "prev_mac" BYTEA NOT NULL,
  "mac" BYTEA NOT NULL,
  "key_id" VARCHAR(16) NOT NULL,
  "sealed_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "audit_seals_pkey" PRIMARY KEY ("chain","seq")
);

CREATE TABLE "audit_checkpoints" (
  "number" BIGINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "line" TEXT NOT NULL,
  "sent_at" TIMESTAMPTZ(3),
  CONSTRAINT "audit_checkpoints_pkey" PRIMARY KEY ("number")
);

CREATE TABLE "key_fingerprints" (
  "name" TEXT NOT NULL,
  "fingerprint" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "lost_at" TIMESTAMPTZ(3),
  CONSTRAINT "key_fingerprints_pkey" PRIMARY KEY ("name","fingerprint")
);

CREATE TABLE "job_queue_failures" (
  "queue" TEXT NOT NULL,
  "failures" INTEGER NOT NULL,
  "failing_since" TIMESTAMPTZ(3),
  CONSTRAINT "job_queue_failures_pkey" PRIMARY KEY ("queue")
);

CREATE TABLE "installation_metadata" (
  "key" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "installation_metadata_pkey" PRIMARY KEY ("key")
);

--
-- Foreign keys: a deletion cascades in the order in which they are created
--

ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "email_changes" ADD CONSTRAINT "email_changes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "organization_members" ADD CONSTRAINT "organization_members_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "organization_members" ADD CONSTRAINT "organization_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "events" ADD CONSTRAINT "events_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "event_roles" ADD CONSTRAINT "event_roles_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "event_roles" ADD CONSTRAINT "event_roles_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "invites" ADD CONSTRAINT "invites_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "invites" ADD CONSTRAINT "invites_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "invite_uses" ADD CONSTRAINT "invite_uses_invite_id_fkey" FOREIGN KEY ("invite_id") REFERENCES "invites"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "invite_uses" ADD CONSTRAINT "invite_uses_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_reporter_id_fkey" FOREIGN KEY ("reporter_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_assigned_responder_id_fkey" FOREIGN KEY ("assigned_responder_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "incident_counts" ADD CONSTRAINT "incident_counts_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "related_files" ADD CONSTRAINT "related_files_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "incident_history" ADD CONSTRAINT "incident_history_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "team_notes" ADD CONSTRAINT "team_notes_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "team_notes" ADD CONSTRAINT "team_notes_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "reporter_messages" ADD CONSTRAINT "reporter_messages_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "reporter_messages" ADD CONSTRAINT "reporter_messages_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "pins" ADD CONSTRAINT "pins_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "pins" ADD CONSTRAINT "pins_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "pins" ADD CONSTRAINT "pins_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "evidence_usage" ADD CONSTRAINT "evidence_usage_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "team_note_revisions" ADD CONSTRAINT "team_note_revisions_note_id_fkey" FOREIGN KEY ("note_id") REFERENCES "team_notes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "team_note_mentions" ADD CONSTRAINT "team_note_mentions_note_id_fkey" FOREIGN KEY ("note_id") REFERENCES "team_notes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "team_note_mentions" ADD CONSTRAINT "team_note_mentions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "reporter_message_revisions" ADD CONSTRAINT "reporter_message_revisions_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "reporter_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "incident_access" ADD CONSTRAINT "incident_access_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "event_report_settings" ADD CONSTRAINT "event_report_settings_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "unread_markers" ADD CONSTRAINT "unread_markers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "unread_markers" ADD CONSTRAINT "unread_markers_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "evidence_problems" ADD CONSTRAINT "evidence_problems_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "related_files"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "sign_in_retries" ADD CONSTRAINT "sign_in_retries_key_fkey" FOREIGN KEY ("key") REFERENCES "sign_in_delays"("key") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "email_verifications" ADD CONSTRAINT "email_verifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "outcome_templates" ADD CONSTRAINT "outcome_templates_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "report_mailboxes" ADD CONSTRAINT "report_mailboxes_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "idempotent_requests" ADD CONSTRAINT "idempotent_requests_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "service_tokens" ADD CONSTRAINT "service_tokens_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "service_tokens" ADD CONSTRAINT "service_tokens_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "mailbox_keys" ADD CONSTRAINT "mailbox_keys_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "report_mailboxes"("incident_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_taker_id_fkey" FOREIGN KEY ("taker_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_witness_id_fkey" FOREIGN KEY ("witness_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "first_responses" ADD CONSTRAINT "first_responses_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "letterboxes" ADD CONSTRAINT "letterboxes_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "letterboxes" ADD CONSTRAINT "letterboxes_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "letters" ADD CONSTRAINT "letters_letterbox_id_fkey" FOREIGN KEY ("letterbox_id") REFERENCES "letterboxes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "letters" ADD CONSTRAINT "letters_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "related_files" ADD CONSTRAINT "related_files_letterbox_id_fkey" FOREIGN KEY ("letterbox_id") REFERENCES "letterboxes"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "retention_rules" ADD CONSTRAINT "retention_rules_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "incident_retention" ADD CONSTRAINT "incident_retention_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "incident_retention" ADD CONSTRAINT "incident_retention_held_by_id_fkey" FOREIGN KEY ("held_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "retention_notices" ADD CONSTRAINT "retention_notices_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "report_tombstones" ADD CONSTRAINT "report_tombstones_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "mailbox_keys" ADD CONSTRAINT "mailbox_keys_letterbox_id_fkey" FOREIGN KEY ("letterbox_id") REFERENCES "letterboxes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_escalation_contact_id_fkey" FOREIGN KEY ("escalation_contact_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

--
-- What the schema can't say
--

-- Literal searches find the rows by trigrams, without reading all.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Titles and names sort as a dictionary in no language would, accents and capitals beside their letters. The collation is
-- one of our own, so that the service can refresh its version when another version of ICU comes with the database.
CREATE COLLATION title_order (provider = icu, locale = 'und');

-- The form in which texts are compared by a search, and on a second line that of the spelling with ae, oe and ue, if the
-- text has an ä, ö, ü or ø. The same rule as listMatchKeys (lib/design/match-key.ts); a test compares the two. Columns
-- and indexes hold the result, so a change of the rule has to rewrite them.
CREATE OR REPLACE FUNCTION match_keys(original text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  spelling text;
  composed text;
  keys text[] := '{}';
  spellings text[] := ARRAY[original];
BEGIN
  IF octet_length(original) = length(original) THEN
    RETURN regexp_replace(lower(replace(original, '`', '''')), '[\t-\r ]+', ' ', 'g');
  END IF;
  IF original ~ '[äöüøÄÖÜØ]' THEN
    spellings := spellings || regexp_replace(regexp_replace(regexp_replace(original, '[äÄ]', 'ae', 'g'), '[öÖøØ]', 'oe', 'g'), '[üÜ]', 'ue', 'g');
  END IF;
  FOREACH spelling IN ARRAY spellings LOOP
    spelling := regexp_replace(spelling, '[`\u00b4\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u0384\u055a\u05f3\u1fbd\u1fbf\u2018-\u201b\u2032\u2035\u2039\u203a\ua78c\uff07\uff40]', '''', 'g');
    spelling := regexp_replace(spelling, '[\u00ab\u00bb\u02ba\u05f4\u201c-\u201f\u2033\u2036\u301d-\u301f\uff02]', '"', 'g');
    spelling := regexp_replace(spelling, '[\u058a\u05be\u1806\u2010-\u2015\u2043\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\ufe58\ufe63\uff0d]', '-', 'g');
    composed := '';
    -- Normalizing sorts the marks after a letter in quadratic time, so long texts are normalized in parts.
    FOR part IN 0..(length(spelling) - 1) / 50 LOOP
      composed := composed || normalize(regexp_replace(normalize(substr(spelling, part * 50 + 1, 50), NFKD),
        '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
        '', 'g'), NFC);
    END LOOP;
    composed := translate(lower(composed), 'øłđðıħŧŋɓɗƙƴςىیةک', 'olddihtnbdkyσييهك');
    composed := replace(replace(replace(replace(composed, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    composed := regexp_replace(composed, '[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g');
    IF composed <> ALL (keys) THEN
      keys := keys || composed;
    END IF;
  END LOOP;
  RETURN array_to_string(keys, E'\n');
END $$;

-- People by name, and the search in names and addresses, for administration.
CREATE INDEX users_name_order ON users (name COLLATE title_order, id);
CREATE INDEX users_name_trgm ON users USING gin (match_keys(name) gin_trgm_ops);
CREATE INDEX users_email_trgm ON users USING gin (match_keys(email) gin_trgm_ops);

-- Counters of limits and delays may be lost in a crash. Unlogged, they cost no write to the write-ahead log on each
-- request, and aren't in it.
ALTER TABLE sign_in_retries SET UNLOGGED;
ALTER TABLE sign_in_delays SET UNLOGGED;
ALTER TABLE rate_limits SET UNLOGGED;

ALTER TABLE retention_rules ADD CONSTRAINT retention_rules_months
  CHECK (resolved_months BETWEEN 1 AND 240 AND closed_months BETWEEN 1 AND 240 AND without_name_months BETWEEN 1 AND 240);

-- Roles on a team that the service hasn't seen to count yet.
CREATE INDEX event_roles_not_counting_idx ON event_roles (event_id) WHERE counts_from IS NULL AND role_name IN ('Responder', 'Admin');

ALTER TABLE invites
  ADD CONSTRAINT invites_uses_within_limit CHECK (max_uses IS NULL OR use_count <= max_uses),
  ADD CONSTRAINT invites_max_uses_positive CHECK (max_uses IS NULL OR max_uses > 0);

-- A search compares one text, whose first line is the title; the title alone is for the jump dialog. The keys are stored,
-- so that a search for a common word computes none.
ALTER TABLE incidents
  ADD CONSTRAINT incidents_title_length CHECK (char_length(title) BETWEEN 10 AND 70),
  ADD CONSTRAINT incidents_resolved_at CHECK ((state IN ('resolved', 'closed')) = (resolved_at IS NOT NULL)),
  ADD CONSTRAINT incidents_first_response CHECK (state = 'submitted' OR first_response_at IS NOT NULL),
  ADD CONSTRAINT incidents_reported_person_name_length CHECK (char_length(reported_person_name) <= 200),
  ADD COLUMN title_keys text GENERATED ALWAYS AS (match_keys(title)) STORED,
  ADD COLUMN search_keys text GENERATED ALWAYS AS (match_keys(title) || E'\n' || match_keys(description)) STORED,
  SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

-- New entries wait in a list, and who finds it full moves all of them: with room for some thousand changes, a job does
-- that each minute (lib/incidents/word-indexes.ts), not those who write.
CREATE INDEX incidents_title_trgm ON incidents USING gin (title_keys gin_trgm_ops) WITH (gin_pending_list_limit = 32768);
CREATE INDEX incidents_search_trgm ON incidents USING gin (search_keys gin_trgm_ops) WITH (gin_pending_list_limit = 32768);

-- Two indexes of the schema. Lists and statistics read reports of an event by time; with these columns, statistics read
-- the index alone.
CREATE INDEX incidents_event_id_created_at_id_idx ON incidents (event_id, created_at DESC, id DESC)
  INCLUDE (state, severity, type, reporter_id, assigned_responder_id, escalated_at, first_response_at, first_response_due_at,
    resolved_at, listed, conflict_check);
CREATE INDEX incidents_event_title ON incidents (event_id, title COLLATE title_order, id);

-- The order of sort=urgency within each event and status (docs/decisions/042): lists take the first rows of each.
CREATE INDEX incidents_urgency ON incidents (
  event_id,
  state,
  (CASE WHEN state IN ('submitted', 'acknowledged', 'investigating')
    THEN CASE WHEN urgent THEN 0 ELSE 5 END
      + CASE severity WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END
    ELSE 10 END),
  due_at,
  created_at DESC,
  id DESC
);

-- Urgent reports, and finished ones on which the reporter wrote last: few at a time.
CREATE INDEX incidents_urgent ON incidents (event_id, created_at DESC, id DESC) WHERE urgent;
CREATE INDEX incidents_message_after_closing ON incidents (event_id, created_at DESC, id DESC) WHERE message_after_closing;

-- Reports that wait for a first response, for the response deadline.
CREATE INDEX incidents_awaiting_first_response ON incidents (created_at)
  WHERE state = 'submitted' AND escalated_at IS NULL;

-- Open incidents of a person, of nobody, by who wrote last, and those that wait for a reporter who can reply; and what is
-- due, soonest first.
CREATE INDEX incidents_open_of_assignee ON incidents (assigned_responder_id, event_id, created_at DESC, id DESC)
  WHERE state IN ('submitted', 'acknowledged', 'investigating');
CREATE INDEX incidents_open_unassigned ON incidents (event_id, created_at DESC, id DESC)
  WHERE state IN ('submitted', 'acknowledged', 'investigating') AND assigned_responder_id IS NULL;
CREATE INDEX incidents_open_last_message_from ON incidents (event_id, last_message_from, created_at DESC, id DESC)
  WHERE state IN ('submitted', 'acknowledged', 'investigating') AND last_message_from IS NOT NULL
    AND (reporter_id IS NOT NULL OR has_mailbox);
CREATE INDEX incidents_open_awaiting_reporter ON incidents (event_id, created_at DESC, id DESC)
  WHERE awaits_reporter AND state IN ('submitted', 'acknowledged', 'investigating');
CREATE INDEX incidents_due ON incidents (event_id, due_at, id) WHERE due_at IS NOT NULL;

-- Incidents with a list, which those who aren't on it must not see, and those that may not be open to a reader.
CREATE INDEX incidents_listed ON incidents (event_id) WHERE listed;
CREATE INDEX incidents_conflict_check ON incidents (event_id) WHERE conflict_check;

-- A key belongs to a mailbox or to a letterbox.
ALTER TABLE mailbox_keys ADD CONSTRAINT mailbox_keys_one_owner CHECK (num_nonnulls(incident_id, letterbox_id) = 1);

-- A hold has a reason, a day of review and a time, or none of them.
ALTER TABLE incident_retention ADD CONSTRAINT incident_retention_hold
  CHECK ((reason IS NULL) = (held_at IS NULL) AND (review_on IS NULL) = (held_at IS NULL));

-- A file from a letterbox is never for the reporter.
ALTER TABLE related_files ADD CONSTRAINT related_files_letterbox_hidden CHECK (letterbox_id IS NULL OR NOT visible_to_reporter);

-- One check of the whole installation.
ALTER TABLE evidence_checks ADD CONSTRAINT evidence_checks_one_row CHECK (id = 1);

-- Whoever writes from a mailbox has no account there. The outcome that a reporter reads is the latest of the messages.
ALTER TABLE reporter_messages ADD CONSTRAINT reporter_messages_mailbox_author CHECK (NOT from_mailbox OR author_id IS NULL);
CREATE INDEX reporter_messages_outcome ON reporter_messages (incident_id, created_at DESC) WHERE outcome;

-- A list that shows a report's texts leaves one line for each person and UTC day.
CREATE UNIQUE INDEX incident_access_list_day ON incident_access (incident_id, actor_id, ((at AT TIME ZONE 'UTC')::date)) WHERE kind = 'list';

-- Rows are inserted and deleted all the time: vacuum runs often, so that reads don't scan dead ones.
ALTER TABLE outbox_events SET (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);

-- The unread count, what a digest takes along, what waits to be mailed and what was, and nothing else.
CREATE INDEX notifications_unread ON notifications (user_id) WHERE read_at IS NULL AND in_app;
CREATE INDEX notifications_digest ON notifications (digest_due, user_id) WHERE digest_due IS NOT NULL;
CREATE INDEX notifications_mail ON notifications (mail_due) WHERE mail_due IS NOT NULL;
CREATE INDEX notifications_mailed_at_idx ON notifications (mailed_at) WHERE mailed_at IS NOT NULL;

-- A token is limited to an event or to an organization, not to both.
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_one_place CHECK (event_id IS NULL OR organization_id IS NULL);

-- The rows that keep an incident from somebody, which are few beside those of answers, and those of people outside the team
-- who read what was passed on to them.
CREATE INDEX incident_readers_none ON incident_readers (incident_id) WHERE access = 'none';
CREATE INDEX incident_readers_user_id_hidden ON incident_readers (user_id) WHERE access < 'ask';
CREATE INDEX incident_readers_outside ON incident_readers (incident_id) WHERE source = 'outside';

-- The audit log by action, newest first.
CREATE INDEX audit_entries_chain_action ON audit_entries (chain, action, seq DESC);

-- Each entry updates the head of its chain: with room on the page, the index stays as it is.
ALTER TABLE audit_chains SET (fillfactor = 40);

--
-- Functions and triggers
--

-- Announces what open live streams depend on: revoked sessions and tokens, and changed access. Every process checks those
-- streams as soon as the change is committed (docs/live.md). Triggers do it, since rows are also deleted with an account
-- or an event, and by the nightly cleanup.

-- What lib/outbox/broadcast.ts reads. PostgreSQL takes at most 8000 bytes in one notification.
create or replace function publish_live_message(member text, ids uuid[]) returns void language sql as $$
  select pg_notify('heed_live', (jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000),
    'change', null, 'notifiedPersonIds', '[]'::jsonb, 'accessChangedPersonIds', '[]'::jsonb) || jsonb_build_object(member, jsonb_agg(part.id)))::text)
  from (select id, (place - 1) / 90 as number from unnest(ids) with ordinality as given(id, place)) part
  group by part.number
$$;

create or replace function publish_revoked_access() returns trigger language plpgsql as $$
begin
  perform publish_live_message('revokedIds', array(select id from deleted));
  return null;
end $$;

create or replace trigger sessions_publish_revoked_access after delete on sessions
  referencing old table as deleted for each statement execute function publish_revoked_access();

create or replace trigger api_tokens_publish_revoked_access after delete on api_tokens
  referencing old table as deleted for each statement execute function publish_revoked_access();

create or replace function publish_user_access_change() returns trigger language plpgsql as $$
begin
  perform publish_live_message('accessChangedPersonIds', array[new.id]);
  return null;
end $$;

create or replace trigger users_publish_access_change after update of disabled_at, system_admin on users for each row
  when ((old.disabled_at, old.system_admin) is distinct from (new.disabled_at, new.system_admin))
  execute function publish_user_access_change();

create or replace function publish_second_factor_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform publish_live_message('accessChangedPersonIds', array[old.user_id]);
  else
    perform publish_live_message('accessChangedPersonIds', array[new.user_id]);
  end if;
  return null;
end $$;

create or replace trigger second_factors_publish_confirmation after update of confirmed_at on second_factors for each row
  when (old.confirmed_at is distinct from new.confirmed_at) execute function publish_second_factor_change();

create or replace trigger second_factors_publish_removal after delete on second_factors for each row
  when (old.confirmed_at is not null) execute function publish_second_factor_change();

create or replace function publish_second_factor_requirement() returns trigger language plpgsql as $$
begin
  perform publish_live_message('securityChangedOrganizationIds', array[new.id]);
  return null;
end $$;

create or replace trigger organizations_publish_second_factor_requirement after update of require_second_factor on organizations for each row
  when (old.require_second_factor <> new.require_second_factor) execute function publish_second_factor_requirement();

-- Open streams of the people whose access to an incident changes check it before the next message, in silence; once it gets
-- or loses a list, so do those of its organization.
create or replace function publish_hidden_change() returns trigger language plpgsql as $$
begin
  perform publish_live_message('hiddenChangedPersonIds', array(select distinct user_id from changed));
  return null;
end $$;

create or replace trigger incident_readers_publish_insert after insert on incident_readers
  referencing new table as changed for each statement execute function publish_hidden_change();

create or replace trigger incident_readers_publish_update after update on incident_readers
  referencing new table as changed for each statement execute function publish_hidden_change();

create or replace trigger incident_readers_publish_delete after delete on incident_readers
  referencing old table as changed for each statement execute function publish_hidden_change();

create or replace function publish_list_change() returns trigger language plpgsql as $$
begin
  perform publish_live_message('hiddenChangedOrganizationIds', array(select organization_id from events where id = new.event_id));
  return null;
end $$;

create or replace trigger incidents_publish_new_list after insert on incidents for each row
  when (new.listed) execute function publish_list_change();

create or replace trigger incidents_publish_list_change after update of listed on incidents for each row
  when (old.listed <> new.listed) execute function publish_list_change();

-- The hash-chained audit log (docs/decisions/006). The hash of an entry covers the entry and the hash before it.
CREATE OR REPLACE FUNCTION hash_audit_entry(
  p_prev bytea, p_chain text, p_seq bigint, p_at timestamptz, p_actor uuid, p_action text, p_object_type text,
  p_object uuid, p_event uuid, p_right text, p_request text, p_data jsonb
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(p_prev || convert_to(jsonb_build_array(
    p_chain, p_seq, to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), p_actor, p_action,
    p_object_type, p_object, p_event, p_right, p_request, p_data)::text, 'UTF8'))
$$;

-- The incident that an entry is about; null for an entry about something else.
CREATE OR REPLACE FUNCTION audited_incident(p_object_type text, p_object uuid, p_data jsonb) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_object_type = 'incident' THEN p_object ELSE (p_data ->> 'incidentId')::uuid END
$$;

-- Whether an incident has or had a list of its readers, or somebody must not see it (docs/decisions/058).
CREATE OR REPLACE FUNCTION is_incident_restricted(p_incident uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM incident_readers WHERE incident_id = p_incident AND (access = 'none' OR source IN ('reporter', 'team')))
$$;

-- Appends an entry and returns its number. The head of the chain is locked from here to the commit, so that the entries
-- of a chain follow one another without gaps. An entry about a restricted incident goes to the chain
-- of the system, so that its organization's chain has neither the entry nor a gap. What nobody did by name has the
-- quarter of an hour, as the report has: the time of an entry is no finer than its row's.
CREATE OR REPLACE FUNCTION append_audit_entry(
  p_chain text, p_actor uuid, p_action text, p_object_type text, p_object uuid, p_event uuid, p_right text,
  p_request text, p_data jsonb
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_seq bigint;
  v_prev bytea;
  v_at timestamptz(3);
  v_hash bytea;
BEGIN
  IF is_incident_restricted(audited_incident(p_object_type, p_object, p_data)) THEN
    p_chain := 'system';
  END IF;
  SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO audit_chains (chain, seq, head) VALUES (p_chain, 0, '') ON CONFLICT DO NOTHING;
    SELECT seq + 1, head INTO v_seq, v_prev FROM audit_chains WHERE chain = p_chain FOR UPDATE;
  END IF;
  v_at := date_trunc('milliseconds', clock_timestamp());
  IF p_actor IS NULL AND p_right IN ('anonymous', 'mailbox', 'letterbox') THEN
    v_at := date_bin('15 minutes', v_at, timestamptz '2000-01-01 00:00:00+00');
  END IF;
  v_hash := hash_audit_entry(v_prev, p_chain, v_seq, v_at, p_actor, p_action, p_object_type, p_object, p_event, p_right, p_request, p_data);
  INSERT INTO audit_entries (chain, seq, at, actor_id, action, object_type, object_id, event_id, by_right, request_id, data, prev_hash, hash)
  VALUES (p_chain, v_seq, v_at, p_actor, p_action, p_object_type, p_object, p_event, p_right, p_request, p_data, v_prev, v_hash);
  UPDATE audit_chains SET seq = v_seq, head = v_hash WHERE chain = p_chain;
  RETURN v_seq;
END $$;

-- Entries are written once. The application has no other way to change the log; this stops mistakes.
CREATE OR REPLACE FUNCTION reject_audit_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are never changed';
END $$;

CREATE OR REPLACE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION reject_audit_entry_change();

-- A change of status settles what the reporter wrote after the incident was resolved or closed, unless it is undone and
-- restores that. The phone number belongs to the reporter: it goes when their account does.
CREATE OR REPLACE FUNCTION clear_outdated_incident_fields() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state IS DISTINCT FROM OLD.state AND NEW.message_after_closing = OLD.message_after_closing THEN
    NEW.message_after_closing := false;
  END IF;
  IF NEW.reporter_id IS NULL THEN
    NEW.contact_phone := NULL;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER clear_outdated_incident_fields BEFORE UPDATE ON incidents
  FOR EACH ROW EXECUTE FUNCTION clear_outdated_incident_fields();

-- Bytes of evidence per event. Whoever adds to them locks the row, so that two uploads can't both be the last that fits.
CREATE OR REPLACE FUNCTION evidence_usage_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO evidence_usage AS u (event_id, bytes)
  SELECT event_id, sum(size::bigint + coalesce(original_size, 0)) FROM added GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id) DO UPDATE SET bytes = u.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION evidence_usage_remove() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE evidence_usage u SET bytes = greatest(0, u.bytes - r.bytes)
  FROM (SELECT event_id, sum(size::bigint + coalesce(original_size, 0)) AS bytes FROM removed GROUP BY event_id) r
  WHERE u.event_id = r.event_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER evidence_usage_on_insert AFTER INSERT ON related_files
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION evidence_usage_add();

CREATE OR REPLACE TRIGGER evidence_usage_on_delete AFTER DELETE ON related_files
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION evidence_usage_remove();

-- Counters of incidents: one row per event and slot. Slots keep simultaneous reports to one event from waiting for one
-- another; the sum over the slots is the number. Changes come one statement at a time, in the order of events, so that
-- no two transactions lock each other out.
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
    SELECT event_id, state, severity, assigned_responder_id IS NULL AS nobodys, escalated_at IS NOT NULL AS escalated, 1 AS n FROM after_change
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

-- When the event itself is deleted, its counters may be gone already; then there is nothing left to count.
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

CREATE OR REPLACE TRIGGER incident_counts_on_insert AFTER INSERT ON incidents
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_add();

CREATE OR REPLACE TRIGGER incident_counts_on_update AFTER UPDATE ON incidents
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_change();

CREATE OR REPLACE TRIGGER incident_counts_on_delete AFTER DELETE ON incidents
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION incident_counts_remove();

-- Remembers of a deleted incident that it was under the conflict check, and who reported it, so that the audit log still
-- leaves out the reporter (docs/decisions/065).
CREATE OR REPLACE FUNCTION remember_deleted_incident_under_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted_incidents_under_check (incident_id, reporter_id) VALUES (OLD.id, OLD.reporter_id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER remember_deleted_incident_under_check AFTER DELETE ON incidents
  FOR EACH ROW WHEN (OLD.conflict_check) EXECUTE FUNCTION remember_deleted_incident_under_check();

-- Closes a new incident to its team until each member answered the conflict check, where the organization asks for it
-- (docs/decisions/065). Turning the option off later opens nothing.
CREATE OR REPLACE FUNCTION set_conflict_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT o.conflict_check INTO NEW.conflict_check FROM events e JOIN organizations o ON o.id = e.organization_id
    WHERE e.id = NEW.event_id AND o.conflict_check;
  NEW.conflict_check := coalesce(NEW.conflict_check, false);
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_conflict_check BEFORE INSERT ON incidents FOR EACH ROW EXECUTE FUNCTION set_conflict_check();

-- How long a deadline of this kind is, as the event promises it now.
CREATE OR REPLACE FUNCTION deadline_length(event uuid, kind deadline_kind, urgent boolean) RETURNS interval LANGUAGE sql STABLE AS $$
  SELECT CASE
      WHEN urgent THEN make_interval(mins => coalesce(nullif(current_setting('heed.urgent_deadline_minutes', true), '')::int, 15))
      WHEN kind = 'acknowledge' THEN make_interval(hours => coalesce(s.answer_within_hours,
        nullif(current_setting('heed.response_deadline_hours', true), '')::int, 24))
      ELSE make_interval(hours => 24 * coalesce(s.next_update_within_days, 7)) END
    FROM (SELECT event AS id) e LEFT JOIN event_report_settings s ON s.event_id = e.id
$$;

-- Which clock runs for an incident, since when, and until when (docs/decisions/020). A clock keeps the target that it
-- started with. The service says how long a first response may take where the event promises nothing
-- (RESPONSE_DEADLINE_HOURS). A report that went back to submitted waits for its first response again, counted from the
-- report. A day is 24 hours: the length of a calendar day depends on the time zone of the session. An urgent report has
-- minutes (URGENT_DEADLINE_MINUTES), whatever the event promises, and stops being urgent once it isn't submitted anymore.
CREATE OR REPLACE FUNCTION set_incident_deadline() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind deadline_kind;
  since timestamptz;
BEGIN
  IF TG_OP = 'INSERT' OR NEW.created_at IS DISTINCT FROM OLD.created_at THEN
    NEW.first_response_due_at := NEW.created_at + deadline_length(NEW.event_id, 'acknowledge', NEW.urgent);
  END IF;
  NEW.urgent := NEW.urgent AND NEW.state = 'submitted';
  IF NEW.state = 'submitted' THEN
    kind := 'acknowledge';
    since := NEW.created_at;
  ELSIF NEW.state < 'resolved' AND (NEW.reporter_id IS NOT NULL OR NEW.has_mailbox)
    AND NOT NEW.awaits_reporter
    AND (NEW.last_message_from IS NOT NULL OR NEW.has_mailbox OR NEW.contact_method <> 'no_contact') THEN
    kind := 'update';
    since := coalesce(greatest(NEW.first_response_at, NEW.reopened_at, NEW.last_message_at), NEW.created_at);
  END IF;
  IF kind IS NULL THEN
    NEW.due_for := NULL;
    NEW.due_since := NULL;
    NEW.due_at := NULL;
  ELSIF NEW.due_at IS NULL OR NEW.due_for IS DISTINCT FROM kind OR NEW.due_since IS DISTINCT FROM since THEN
    NEW.due_for := kind;
    NEW.due_since := since;
    NEW.due_at := since + deadline_length(NEW.event_id, kind, NEW.urgent);
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_incident_deadline BEFORE INSERT OR UPDATE ON incidents FOR EACH ROW EXECUTE FUNCTION set_incident_deadline();

-- Who wrote the last message, whether the team waits for an answer to it, and whether that was the reporter on a report
-- that was resolved or closed by then. Whoever reported is the reporter here, also where they are on the team as well, and
-- so is whoever wrote in the report's mailbox.
CREATE OR REPLACE FUNCTION set_last_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE incidents SET last_message_at = NEW.created_at,
      last_message_from = CASE WHEN NEW.from_mailbox OR NEW.author_id = reporter_id THEN 'reporter' ELSE 'team' END::message_sender,
      awaits_reporter = NEW.wait_for_reporter AND NOT (NEW.from_mailbox OR coalesce(NEW.author_id = reporter_id, false)),
      message_after_closing = state IN ('resolved', 'closed') AND (NEW.from_mailbox OR coalesce(NEW.author_id = reporter_id, false))
    WHERE id = NEW.incident_id AND (last_message_at IS NULL OR last_message_at <= NEW.created_at);
  ELSE
    UPDATE incidents i SET (last_message_from, last_message_at, awaits_reporter) = (
      SELECT max(last.sender), max(last.at), coalesce(bool_or(last.waits AND last.sender = 'team'), false)
      FROM (
        SELECT CASE WHEN m.from_mailbox OR m.author_id = i.reporter_id THEN 'reporter' ELSE 'team' END::message_sender AS sender,
          m.created_at AS at, m.wait_for_reporter AS waits
        FROM reporter_messages m WHERE m.incident_id = i.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1
      ) last)
    WHERE i.id = OLD.incident_id;
    UPDATE incidents SET message_after_closing = false
    WHERE id = OLD.incident_id AND message_after_closing AND last_message_from IS DISTINCT FROM 'reporter';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER set_last_message AFTER INSERT OR DELETE ON reporter_messages
  FOR EACH ROW EXECUTE FUNCTION set_last_message();
