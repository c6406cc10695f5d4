-- What was written with an exclusion goes with its incident; the exclusion stays, since the audit log does.
UPDATE incident_exclusions x SET reason = NULL
WHERE reason IS NOT NULL AND NOT EXISTS (SELECT 1 FROM incidents i WHERE i.id = x.incident_id);
