-- CreateTable
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

-- CreateIndex
CREATE INDEX "idempotent_requests_user_id_idx" ON "idempotent_requests"("user_id");

-- CreateIndex
CREATE INDEX "idempotent_requests_created_at_idx" ON "idempotent_requests"("created_at");

-- AddForeignKey
ALTER TABLE "idempotent_requests" ADD CONSTRAINT "idempotent_requests_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
