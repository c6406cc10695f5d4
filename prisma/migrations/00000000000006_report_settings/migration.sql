-- What an event says to those who report. The key and its reference make a new table and lock `events` for a moment only.
-- CreateTable
CREATE TABLE "event_report_settings" (
    "event_id" UUID NOT NULL,
    "show_team" BOOLEAN NOT NULL DEFAULT false,
    "emergency_contact" TEXT,
    "exit_url" TEXT,
    "answer_within_hours" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_report_settings_pkey" PRIMARY KEY ("event_id")
);

-- AddForeignKey
ALTER TABLE "event_report_settings" ADD CONSTRAINT "event_report_settings_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
