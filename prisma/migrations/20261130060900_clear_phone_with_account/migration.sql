-- The verbs clear what was outdated. A number never outlives the link to its reporter: deleting the account fails instead.
DROP TRIGGER clear_outdated_incident_fields ON incidents;
DROP FUNCTION clear_outdated_incident_fields();
UPDATE incidents SET contact_phone = NULL WHERE reporter_id IS NULL AND contact_phone IS NOT NULL;
ALTER TABLE incidents ADD CONSTRAINT incidents_phone_of_account CHECK (contact_phone IS NULL OR reporter_id IS NOT NULL);
