-- Nobody reviews an emergency opening any more, so nobody is referred to for that either.
DELETE FROM "incident_referrals" WHERE "for_review";

-- The kind has another name.
UPDATE "notifications" SET "kind" = 'incident.bypassed' WHERE "kind" = 'incident.bypassReview';
UPDATE "notification_settings" SET "kind" = 'incident.bypassed' WHERE "kind" = 'incident.bypassReview';
UPDATE "outbox_events" SET "kind" = 'incident.bypassed' WHERE "kind" = 'incident.bypassReview';

-- DropForeignKey
ALTER TABLE "conflict_reviews" DROP CONSTRAINT "conflict_reviews_bypass_id_fkey";

-- DropForeignKey
ALTER TABLE "conflict_reviews" DROP CONSTRAINT "conflict_reviews_reviewer_id_fkey";

-- AlterTable
ALTER TABLE "conflict_bypasses" DROP COLUMN "reminded_at";

-- AlterTable
ALTER TABLE "incident_referrals" DROP COLUMN "for_review";

-- DropTable
DROP TABLE "conflict_reviews";
