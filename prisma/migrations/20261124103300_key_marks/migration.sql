-- CreateTable
CREATE TABLE "key_marks" (
    "name" TEXT NOT NULL,
    "mark" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lost_at" TIMESTAMPTZ(3),

    CONSTRAINT "key_marks_pkey" PRIMARY KEY ("name","mark")
);
