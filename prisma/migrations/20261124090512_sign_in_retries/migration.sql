-- Unlogged as sign_in_delays is, and so in no write-ahead log.
CREATE UNLOGGED TABLE "sign_in_retries" (
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "allowed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_retries_pkey" PRIMARY KEY ("key","name")
);

-- CreateIndex
CREATE INDEX "sign_in_retries_allowed_at_idx" ON "sign_in_retries"("allowed_at");

-- AddForeignKey
ALTER TABLE "sign_in_retries" ADD CONSTRAINT "sign_in_retries_key_fkey" FOREIGN KEY ("key") REFERENCES "sign_in_delays"("key") ON DELETE CASCADE ON UPDATE CASCADE;
