-- AlterTable
ALTER TABLE "mailbox_keys" ADD COLUMN     "letterbox_id" UUID,
ALTER COLUMN "incident_id" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "mailbox_keys_letterbox_id_idx" ON "mailbox_keys"("letterbox_id");

-- AddForeignKey
ALTER TABLE "mailbox_keys" ADD CONSTRAINT "mailbox_keys_letterbox_id_fkey" FOREIGN KEY ("letterbox_id") REFERENCES "letterboxes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A key belongs to a mailbox or to a letterbox.
ALTER TABLE "mailbox_keys" ADD CONSTRAINT "mailbox_keys_one_owner" CHECK (num_nonnulls("incident_id", "letterbox_id") = 1);
