-- Titles sort as a dictionary in no language would, accents and capitals beside their letters. The collation is one of
-- our own, so that the service can refresh its version when another version of ICU comes with the database.
CREATE COLLATION title_order (provider = icu, locale = 'und');

DROP INDEX incidents_event_title;
CREATE INDEX incidents_event_title ON incidents (event_id, title COLLATE title_order, id);
