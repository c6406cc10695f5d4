-- Times of notifications about reports that name nobody are those of the quarter of an hour, and of letters those of the
-- UTC day (docs/decisions/019). Who caused an older one isn't stored, so all that such reports have are rounded.
UPDATE notifications n SET mailed_at = NULL, created_at = CASE WHEN n.kind = 'letter.received'
    THEN date_trunc('day', n.created_at, 'UTC')
    ELSE date_bin('15 minutes', n.created_at, timestamptz '2000-01-01 00:00:00+00') END
  FROM incidents i WHERE i.id = n.incident_id AND (i.reporter_id IS NULL OR n.kind = 'letter.received');

UPDATE notifications SET mailed_at = NULL WHERE mailed_at < now() - interval '10 minutes';

UPDATE webhook_deliveries d SET created_at = date_bin('15 minutes', d.created_at, timestamptz '2000-01-01 00:00:00+00'),
    attempted_at = date_bin('15 minutes', d.attempted_at, timestamptz '2000-01-01 00:00:00+00'),
    delivered_at = date_bin('15 minutes', d.delivered_at, timestamptz '2000-01-01 00:00:00+00'),
    payload = jsonb_set(d.payload, '{at}', to_jsonb(to_char(date_bin('15 minutes', (d.payload ->> 'at')::timestamptz,
      timestamptz '2000-01-01 00:00:00+00') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  FROM incidents i WHERE d.state <> 'waiting' AND i.id::text = d.payload ->> 'incidentId' AND i.reporter_id IS NULL;

CREATE INDEX notifications_mailed_at_idx ON notifications (mailed_at) WHERE mailed_at IS NOT NULL;
