-- The verbs set deadlines, and end urgency, with whatever decides them.
DROP TRIGGER set_incident_deadline ON incidents;
DROP FUNCTION set_incident_deadline();
DROP FUNCTION deadline_length(uuid, deadline_kind, boolean);
ALTER TABLE incidents
  ADD CONSTRAINT incidents_urgent_until_acknowledged CHECK (NOT urgent OR state = 'submitted'),
  ADD CONSTRAINT incidents_whole_deadline CHECK (num_nulls(due_for, due_since, due_at) IN (0, 3)),
  ADD CONSTRAINT incidents_next_message_to_somebody CHECK (due_for IS DISTINCT FROM 'update' OR reporter_id IS NOT NULL OR has_mailbox);
