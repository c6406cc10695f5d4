-- CreateTable
CREATE TABLE "job_queue_failures" (
    "queue" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "failing_since" TIMESTAMPTZ(3),

    CONSTRAINT "job_queue_failures_pkey" PRIMARY KEY ("queue")
);
