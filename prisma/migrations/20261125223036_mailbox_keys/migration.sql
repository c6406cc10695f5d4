-- CreateTable
CREATE TABLE "mailbox_keys" (
    "key_hash" BYTEA NOT NULL,
    "content_hash" BYTEA NOT NULL,
    "incident_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mailbox_keys_pkey" PRIMARY KEY ("key_hash")
);

-- CreateIndex
CREATE INDEX "mailbox_keys_incident_id_idx" ON "mailbox_keys"("incident_id");

-- CreateIndex
CREATE INDEX "mailbox_keys_created_at_idx" ON "mailbox_keys"("created_at");

-- AddForeignKey
ALTER TABLE "mailbox_keys" ADD CONSTRAINT "mailbox_keys_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "report_mailboxes"("incident_id") ON DELETE CASCADE ON UPDATE CASCADE;
