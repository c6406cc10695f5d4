-- CreateTable
CREATE TABLE "audit_seals" (
    "chain" VARCHAR(36) NOT NULL,
    "seq" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    "prev_mac" BYTEA NOT NULL,
    "mac" BYTEA NOT NULL,
    "key_id" VARCHAR(16) NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_seals_pkey" PRIMARY KEY ("chain","seq")
);

-- CreateTable
CREATE TABLE "audit_checkpoints" (
    "number" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "line" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "audit_checkpoints_pkey" PRIMARY KEY ("number")
);
