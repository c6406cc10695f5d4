-- CreateEnum
CREATE TYPE "report_access" AS ENUM ('account', 'invite');

-- AlterTable
ALTER TABLE "event_report_settings" ADD COLUMN     "poster_opened_at" TIMESTAMPTZ(3),
ADD COLUMN     "search_engines" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "who_can_report" "report_access" NOT NULL DEFAULT 'account';

-- Events that exist keep what they promised: reports by invite, and no search engines.
INSERT INTO event_report_settings (event_id, who_can_report, search_engines)
SELECT id, 'invite', false FROM events
ON CONFLICT (event_id) DO UPDATE SET who_can_report = 'invite', search_engines = false;
