-- Filing a report sets the mark.
DROP TRIGGER set_conflict_check ON incidents;
DROP FUNCTION set_conflict_check();
