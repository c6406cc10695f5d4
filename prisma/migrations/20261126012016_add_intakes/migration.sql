-- CreateEnum
CREATE TYPE "intake_channel" AS ENUM ('in_person', 'phone', 'chat', 'email', 'overheard');

-- CreateEnum
CREATE TYPE "first_response_kind" AS ENUM ('quiet_place', 'water', 'escort', 'friend_called', 'medical', 'police_wanted', 'police_declined');

-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "unconfirmed" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "report_mailboxes" ADD COLUMN     "handing_over" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "intakes" (
    "incident_id" UUID NOT NULL,
    "taker_id" UUID,
    "witness_id" UUID,
    "channel" "intake_channel" NOT NULL,
    "taken_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "confirmed_at" TIMESTAMPTZ(3),
    "corrected" BOOLEAN NOT NULL DEFAULT false,
    "draft_hash" BYTEA,

    CONSTRAINT "intakes_pkey" PRIMARY KEY ("incident_id")
);

-- CreateTable
CREATE TABLE "first_responses" (
    "incident_id" UUID NOT NULL,
    "kind" "first_response_kind" NOT NULL,
    "done_at" TIMESTAMPTZ(3),

    CONSTRAINT "first_responses_pkey" PRIMARY KEY ("incident_id","kind")
);

-- CreateIndex
CREATE UNIQUE INDEX "intakes_draft_hash_key" ON "intakes"("draft_hash");

-- CreateIndex
CREATE INDEX "intakes_taker_id_idx" ON "intakes"("taker_id");

-- CreateIndex
CREATE INDEX "intakes_witness_id_idx" ON "intakes"("witness_id");

-- AddForeignKey
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_taker_id_fkey" FOREIGN KEY ("taker_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_witness_id_fkey" FOREIGN KEY ("witness_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "first_responses" ADD CONSTRAINT "first_responses_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
