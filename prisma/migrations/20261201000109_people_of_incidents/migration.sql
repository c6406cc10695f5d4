-- CreateEnum
CREATE TYPE "person_role" AS ENUM ('reported', 'harmed', 'witness');

-- CreateTable
CREATE TABLE "incident_people" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "incident_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "handles" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "addresses" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "role" "person_role" NOT NULL,
    "match_terms" TEXT[] NOT NULL,
    "created_by_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "incident_people_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "people" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "organization_id" UUID NOT NULL,
    "code_name" TEXT NOT NULL,
    "joined_to_id" UUID,
    "group_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "people_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "incident_people_incident_id_created_at_id_idx" ON "incident_people"("incident_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "incident_people_person_id_idx" ON "incident_people"("person_id");

-- CreateIndex
CREATE INDEX "incident_people_created_by_id_idx" ON "incident_people"("created_by_id");

-- CreateIndex
CREATE INDEX "incident_people_event_id_created_at_id_idx" ON "incident_people"("event_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "incident_people_match_terms_idx" ON "incident_people" USING GIN ("match_terms");

-- CreateIndex
CREATE INDEX "people_group_id_idx" ON "people"("group_id");

-- CreateIndex
CREATE INDEX "people_joined_to_id_idx" ON "people"("joined_to_id");

-- CreateIndex
CREATE UNIQUE INDEX "people_organization_id_code_name_key" ON "people"("organization_id", "code_name");

-- AddForeignKey
ALTER TABLE "incident_people" ADD CONSTRAINT "incident_people_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incidents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incident_people" ADD CONSTRAINT "incident_people_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incident_people" ADD CONSTRAINT "incident_people_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "people" ADD CONSTRAINT "people_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The same of several texts. Columns can hold its result, unlike that of array_to_string, which depends on settings for
-- other types than text.
CREATE OR REPLACE FUNCTION match_keys(originals text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT match_keys(array_to_string(originals, E'\n'))
$$;

ALTER TABLE incident_people
  ADD COLUMN search_keys text GENERATED ALWAYS AS (match_keys(ARRAY[name] || handles || addresses)) STORED;
CREATE INDEX incident_people_search_trgm ON incident_people USING gin (search_keys gin_trgm_ops) WITH (gin_pending_list_limit = 32768);
