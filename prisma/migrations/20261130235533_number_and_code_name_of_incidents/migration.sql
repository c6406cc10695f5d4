-- AlterTable
ALTER TABLE "incidents" ADD COLUMN     "code_name" TEXT NOT NULL DEFAULT 'case-' || substr(gen_random_uuid()::text, 1, 8),
ADD COLUMN     "number" INTEGER NOT NULL DEFAULT (1000000 + floor(random() * 2000000000))::integer;

-- CreateIndex
CREATE UNIQUE INDEX "incidents_drawn_number" ON "incidents"("event_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "incidents_drawn_code_name" ON "incidents"("event_id", "code_name");

-- A search finds an incident by what people call it, and by place and people as the reporter wrote them.
ALTER TABLE incidents
  DROP COLUMN title_keys,
  DROP COLUMN search_keys,
  ADD COLUMN title_keys text GENERATED ALWAYS AS (match_keys(title) || E'\n' || code_name || ' ' || number) STORED,
  ADD COLUMN search_keys text GENERATED ALWAYS AS (match_keys(title) || E'\n' || match_keys(description)
    || E'\n' || coalesce(match_keys(location), '') || E'\n' || coalesce(match_keys(parties), '')
    || E'\n' || coalesce(match_keys(type), '') || E'\n' || code_name || ' ' || number) STORED;
CREATE INDEX incidents_title_trgm ON incidents USING gin (title_keys gin_trgm_ops) WITH (gin_pending_list_limit = 32768);
CREATE INDEX incidents_search_trgm ON incidents USING gin (search_keys gin_trgm_ops) WITH (gin_pending_list_limit = 32768);
