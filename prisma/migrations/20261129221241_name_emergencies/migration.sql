-- Opening a hidden incident and opening one without an answer to its conflict check are one thing: an emergency.
UPDATE "incident_access" SET "kind" = 'emergency' WHERE "kind" IN ('breakGlass', 'bypass');
UPDATE "incident_history" SET "action" = 'emergency' WHERE "action" = 'breakGlass';
UPDATE "notifications" SET "kind" = 'incident.emergency' WHERE "kind" = 'incident.bypassed';
UPDATE "notification_settings" SET "kind" = 'incident.emergency' WHERE "kind" = 'incident.bypassed';
UPDATE "outbox_events" SET "kind" = 'incident.emergency' WHERE "kind" = 'incident.bypassed';
