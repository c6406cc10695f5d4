-- The words of readers: outside person, hide, let in, step out. Audit entries keep the names under which they were signed.
ALTER TYPE reader_source RENAME VALUE 'recusal' TO 'self';

ALTER TABLE organizations RENAME COLUMN escalation_contact_id TO outside_person_id;
ALTER TABLE organizations RENAME CONSTRAINT organizations_escalation_contact_id_fkey TO organizations_outside_person_id_fkey;
ALTER INDEX organizations_escalation_contact_id_idx RENAME TO organizations_outside_person_id_idx;

UPDATE incident_history SET action = 'hidden' WHERE action = 'excluded';
UPDATE incident_history SET action = 'letIn' WHERE action = 'exclusionLifted';
UPDATE incident_access SET by_right = 'outsidePerson' WHERE by_right = 'escalationContact';

-- Jobs that wait. An empty database has no queue yet.
DO $$
BEGIN
  IF to_regclass('graphile_worker._private_tasks') IS NOT NULL THEN
    UPDATE graphile_worker._private_tasks SET identifier = 'letOutsidePeopleIn' WHERE identifier = 'referIncidents';
    UPDATE graphile_worker._private_tasks SET identifier = 'releaseReplacedOutsidePerson' WHERE identifier = 'releaseReplacedContact';
  END IF;
END
$$;
