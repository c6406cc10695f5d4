-- DropIndex
DROP INDEX "related_files_event_id_idx";

-- CreateIndex
CREATE INDEX "related_files_event_id_uploaded_by_id_idx" ON "related_files"("event_id", "uploaded_by_id");
