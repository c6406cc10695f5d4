-- AlterTable
ALTER TABLE "idempotency_keys" ADD COLUMN     "attempt_id" UUID,
ADD COLUMN     "attempt_until" TIMESTAMPTZ(3),
ADD COLUMN     "conversation_id" UUID,
ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "response" BYTEA,
ADD COLUMN     "took_effect" BOOLEAN NOT NULL DEFAULT false,
ALTER COLUMN "incident_id" DROP NOT NULL;

-- Keys of the last day stay.
update idempotency_keys k set expires_at = i.created_at + interval '24 hours' from incidents i where i.id = k.incident_id;
insert into idempotency_keys (key_hash, content_hash, expires_at, user_id, attempt_id, attempt_until, took_effect, response)
  select key_hash, content_hash, created_at + interval '24 hours', user_id, claim, claimed_until, took_effect, response from idempotent_requests;
insert into idempotency_keys (key_hash, content_hash, expires_at, conversation_id)
  select key_hash, content_hash, (created_on + 2)::timestamp at time zone 'UTC', conversation_id from conversation_keys;
ALTER TABLE "idempotency_keys" ALTER COLUMN "expires_at" SET NOT NULL;

-- DropTable
DROP TABLE "idempotent_requests";

-- DropTable
DROP TABLE "conversation_keys";

-- CreateIndex
CREATE INDEX "idempotency_keys_conversation_id_idx" ON "idempotency_keys"("conversation_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
