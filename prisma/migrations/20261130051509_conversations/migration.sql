-- CreateEnum
CREATE TYPE "conversation_party" AS ENUM ('reporter', 'reported_person', 'witness');

-- CreateEnum
CREATE TYPE "message_kind" AS ENUM ('message', 'outcome', 'decision', 'appeal');

-- CreateTable
CREATE TABLE "conversations" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "incident_id" UUID NOT NULL,
    "party" "conversation_party" NOT NULL,
    "label" TEXT,
    "words_hash" BYTEA,
    "created_by_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "closed_on" DATE,
    "confirmed" BOOLEAN NOT NULL DEFAULT false,
    "withdrawn_on" DATE,
    "handing_over" BOOLEAN NOT NULL DEFAULT false,
    "hidden_by_name" BOOLEAN NOT NULL DEFAULT false,

CONSTRAINT "conversations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "conversation_id" UUID NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "from_party" BOOLEAN NOT NULL DEFAULT false,
    "author_id" UUID,
    "kind" "message_kind" NOT NULL DEFAULT 'message',
    "body" TEXT,
    "wait_for_reporter" BOOLEAN NOT NULL DEFAULT false,
    "reported" TEXT,
    "finding" TEXT,
    "measure" TEXT,
    "measure_ends_on" DATE,
    "appeal" TEXT,
    "read_on" DATE,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_revisions" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "message_id" UUID NOT NULL,
    "body" TEXT NOT NULL,
    "replaced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

CONSTRAINT "message_revisions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conversation_keys" (
    "key_hash" BYTEA NOT NULL,
    "content_hash" BYTEA NOT NULL,
    "conversation_id" UUID NOT NULL,
    "created_on" DATE NOT NULL,

CONSTRAINT "conversation_keys_pkey" PRIMARY KEY ("key_hash")
);

ALTER TABLE related_files ADD COLUMN conversation_id UUID;

INSERT INTO conversations (id, incident_id, party, words_hash, created_at, closed_on, confirmed, withdrawn_on, handing_over, hidden_by_name)
SELECT i.id, i.id, 'reporter', m.receipt_hash, i.created_at, m.closed_on, coalesce(m.confirmed_on_sending, false),
  m.withdrawn_on, coalesce(m.handing_over, false), coalesce(m.hidden_by_name, false)
FROM incidents i LEFT JOIN report_mailboxes m ON m.incident_id = i.id;

INSERT INTO conversations (id, incident_id, party, label, words_hash, created_by_id, created_at, closed_on)
SELECT id, incident_id, kind::text::conversation_party, label, code_hash, created_by_id, created_at, (closed_at AT TIME ZONE 'UTC')::date FROM letterboxes;

INSERT INTO messages (id, conversation_id, from_party, author_id, kind, body, wait_for_reporter, created_at, updated_at)
SELECT m.id, m.incident_id, m.from_mailbox OR coalesce(m.author_id = i.reporter_id, false), m.author_id,
  CASE WHEN m.outcome THEN 'outcome' ELSE 'message' END::message_kind, m.body, m.wait_for_reporter, m.created_at, m.updated_at
FROM reporter_messages m JOIN incidents i ON i.id = m.incident_id ORDER BY m.created_at, m.id;

INSERT INTO messages (id, conversation_id, from_party, author_id, kind, body, reported, finding, measure, measure_ends_on, appeal, read_on, created_at, updated_at)
SELECT id, letterbox_id, from_holder, author_id, CASE WHEN is_appeal THEN 'appeal' WHEN measure IS NOT NULL THEN 'decision' ELSE 'message' END::message_kind,
  body, reported, finding, measure, measure_ends_on, appeal, read_on, sent_at, sent_at
FROM letters ORDER BY seq;

INSERT INTO message_revisions (id, message_id, body, replaced_at) SELECT id, message_id, body, replaced_at FROM reporter_message_revisions;

UPDATE related_files SET conversation_id = letterbox_id WHERE letterbox_id IS NOT NULL;

-- DropForeignKey
ALTER TABLE "report_mailboxes" DROP CONSTRAINT "report_mailboxes_incident_id_fkey";

-- DropForeignKey
ALTER TABLE "letterboxes" DROP CONSTRAINT "letterboxes_incident_id_fkey";

-- DropForeignKey
ALTER TABLE "letterboxes" DROP CONSTRAINT "letterboxes_created_by_id_fkey";

-- DropForeignKey
ALTER TABLE "letters" DROP CONSTRAINT "letters_letterbox_id_fkey";

-- DropForeignKey
ALTER TABLE "letters" DROP CONSTRAINT "letters_author_id_fkey";

-- DropForeignKey
ALTER TABLE "mailbox_keys" DROP CONSTRAINT "mailbox_keys_incident_id_fkey";

-- DropForeignKey
ALTER TABLE "mailbox_keys" DROP CONSTRAINT "mailbox_keys_letterbox_id_fkey";

-- DropForeignKey
ALTER TABLE "related_files" DROP CONSTRAINT "related_files_letterbox_id_fkey";

-- DropForeignKey
ALTER TABLE "reporter_messages" DROP CONSTRAINT "reporter_messages_incident_id_fkey";

-- DropForeignKey
ALTER TABLE "reporter_messages" DROP CONSTRAINT "reporter_messages_author_id_fkey";

-- DropForeignKey
ALTER TABLE "reporter_message_revisions" DROP CONSTRAINT "reporter_message_revisions_message_id_fkey";

-- DropTable
DROP TABLE "report_mailboxes";

-- DropTable
DROP TABLE "letterboxes";

-- DropTable
DROP TABLE "letters";

-- DropTable
DROP TABLE "mailbox_keys";

-- DropTable
DROP TABLE "reporter_messages";

-- DropTable
DROP TABLE "reporter_message_revisions";

-- DropEnum
DROP TYPE "letterbox_kind";

DROP INDEX related_files_letterbox_id_idx;
ALTER TABLE related_files DROP COLUMN letterbox_id;

-- CreateIndex
CREATE UNIQUE INDEX "conversations_words_hash_key" ON "conversations"("words_hash");

-- CreateIndex
CREATE INDEX "conversations_incident_id_idx" ON "conversations"("incident_id");

-- CreateIndex
CREATE INDEX "conversations_created_by_id_idx" ON "conversations"("created_by_id");

-- CreateIndex
CREATE INDEX "messages_conversation_id_created_at_id_idx" ON "messages"("conversation_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "messages_author_id_created_at_idx" ON "messages"("author_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "message_revisions_message_id_replaced_at_idx" ON "message_revisions"("message_id", "replaced_at");

-- CreateIndex
CREATE INDEX "conversation_keys_conversation_id_idx" ON "conversation_keys"("conversation_id");

-- CreateIndex
CREATE INDEX "conversation_keys_created_on_idx" ON "conversation_keys"("created_on");

-- CreateIndex
CREATE INDEX "related_files_conversation_id_idx" ON "related_files"("conversation_id");

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_revisions" ADD CONSTRAINT "message_revisions_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation_keys" ADD CONSTRAINT "conversation_keys_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "related_files" ADD CONSTRAINT "related_files_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE SET NULL ON UPDATE CASCADE;

DROP FUNCTION set_last_message() CASCADE;

-- The conversation with the reporter has the id of its incident: there is one, and no other thread can be taken for it.
ALTER TABLE conversations ADD CONSTRAINT conversations_reporter_id CHECK ((party = 'reporter') = (id = incident_id));
ALTER TABLE conversations ADD CONSTRAINT conversations_label CHECK ((party = 'reporter') = (label IS NULL));
ALTER TABLE conversations ADD CONSTRAINT conversations_closed CHECK (closed_on IS NULL OR words_hash IS NULL);
ALTER TABLE messages ADD CONSTRAINT messages_parts
  CHECK (CASE kind WHEN 'decision' THEN num_nonnulls(reported, finding, measure, appeal) = 4 AND body IS NULL
    ELSE num_nonnulls(reported, finding, measure, measure_ends_on, appeal) = 0 AND body IS NOT NULL END);
-- Outcomes and decisions come from the team, appeals from a party.
ALTER TABLE messages ADD CONSTRAINT messages_sender CHECK (kind = 'message' OR from_party = (kind = 'appeal'));
-- A file from a conversation is never for the reporter.
ALTER TABLE related_files ADD CONSTRAINT related_files_conversation_hidden
  CHECK (conversation_id IS NULL OR (NOT visible_to_reporter AND conversation_id <> incident_id));
CREATE INDEX messages_outcome ON messages (conversation_id, created_at DESC) WHERE kind = 'outcome';
