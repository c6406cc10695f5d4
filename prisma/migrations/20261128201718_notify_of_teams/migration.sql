-- AlterTable
ALTER TABLE "events" ADD COLUMN     "reader_missing_since_notice" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "event_roles" ADD COLUMN     "counts_from" TIMESTAMPTZ(3);

-- Whoever is on a team already isn't told that reports are waiting there.
UPDATE event_roles SET counts_from = CURRENT_TIMESTAMP WHERE role_name IN ('Responder', 'Admin') AND NOT pending;

CREATE INDEX event_roles_not_counting_idx ON event_roles (event_id) WHERE counts_from IS NULL AND role_name IN ('Responder', 'Admin');
