-- A search finds what was written since a report arrived. What the team alone reads of an incident is apart from what its
-- reporter finds.
ALTER TABLE incidents ADD COLUMN team_keys text GENERATED ALWAYS AS (match_keys(coalesce(summary, '')) || E'\n'
  || match_keys(coalesce(resolution, '')) || E'\n' || match_keys(coalesce(reported_person_name, ''))) STORED;
ALTER TABLE team_notes ADD COLUMN search_keys text GENERATED ALWAYS AS (match_keys(body)) STORED;
ALTER TABLE messages ADD COLUMN search_keys text GENERATED ALWAYS AS (match_keys(coalesce(body, '')) || E'\n'
  || match_keys(coalesce(reported, '')) || E'\n' || match_keys(coalesce(finding, '')) || E'\n'
  || match_keys(coalesce(measure, '')) || E'\n' || match_keys(coalesce(appeal, ''))) STORED;
CREATE INDEX incidents_team_trgm ON incidents USING gin (team_keys gin_trgm_ops) WITH (gin_pending_list_limit = 32768);
CREATE INDEX team_notes_search_trgm ON team_notes USING gin (search_keys gin_trgm_ops) WITH (gin_pending_list_limit = 32768);
CREATE INDEX messages_search_trgm ON messages USING gin (search_keys gin_trgm_ops) WITH (gin_pending_list_limit = 32768);
