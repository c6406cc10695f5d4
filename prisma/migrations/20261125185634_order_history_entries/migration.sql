-- Entries of one transaction have the same time; this keeps their order. It rewrites the table once, in which existing
-- entries get numbers in the order in which they are stored.
ALTER TABLE "incident_history" ADD COLUMN     "seq" BIGSERIAL NOT NULL;
