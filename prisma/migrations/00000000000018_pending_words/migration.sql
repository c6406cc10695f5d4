-- What is written goes into a list beside an index of words, and from there into the index once the list is full: then
-- whoever writes next moves it all. Each change of a report puts its words there once more. With room for some thousand
-- changes that is the job of a minute (lib/incidents/word-indexes.ts), not of those who write.
ALTER INDEX "incidents_title_trgm" SET (gin_pending_list_limit = 32768);
ALTER INDEX "incidents_description_trgm" SET (gin_pending_list_limit = 32768);
