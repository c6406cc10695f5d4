-- CreateTable
CREATE TABLE "report_keys" (
    "key" BYTEA NOT NULL,
    "content" BYTEA NOT NULL,
    "incident_id" UUID NOT NULL,
    "user_id" UUID,

    CONSTRAINT "report_keys_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE UNIQUE INDEX "report_keys_incident_id_key" ON "report_keys"("incident_id");

-- CreateIndex
CREATE INDEX "report_keys_user_id_idx" ON "report_keys"("user_id");

-- AddForeignKey
ALTER TABLE "report_keys" ADD CONSTRAINT "report_keys_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "report_keys" ADD CONSTRAINT "report_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
