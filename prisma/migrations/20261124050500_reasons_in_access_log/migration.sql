-- Why an original was opened stood in the audit log, where organization admins read it. It moves to the access log of the
-- incident, which its event's team reads (docs/decisions/037).
ALTER TABLE "incident_access" ADD COLUMN "reason" TEXT;

-- Whoever is about to append holds the head of a chain already.
LOCK TABLE "audit_chains" IN EXCLUSIVE MODE;
ALTER TABLE "audit_entries" DISABLE TRIGGER "audit_entries_no_update";

-- The line of an opening was written just after its entry; where there is none (an Admin's own report, a crash of the
-- database), it is added. The reason of an incident that is gone goes, as everything else about it did.
DO $$
DECLARE
  e record;
  v_incident uuid;
BEGIN
  FOR e IN SELECT * FROM audit_entries WHERE action = 'file.original' AND data ? 'reason' ORDER BY at, seq LOOP
    v_incident := (e.data->>'incidentId')::uuid;
    CONTINUE WHEN e.event_id IS NULL OR NOT EXISTS (SELECT 1 FROM incidents WHERE id = v_incident);
    UPDATE incident_access SET reason = e.data->>'reason' WHERE id = (
      SELECT a.id FROM incident_access a
      WHERE a.incident_id = v_incident AND a.kind = 'original' AND a.object_id = e.object_id AND a.actor_id = e.actor_id
        AND a.reason IS NULL AND a.at BETWEEN e.at - interval '5 seconds' AND e.at + interval '5 minutes'
      ORDER BY a.at, a.id LIMIT 1);
    CONTINUE WHEN FOUND;
    INSERT INTO incident_access (incident_id, event_id, actor_id, kind, object_id, by_right, reason, at)
    VALUES (v_incident, e.event_id, e.actor_id, 'original', e.object_id, e.by_right, e.data->>'reason', e.at);
  END LOOP;
END $$;

-- Hashes a chain again from an entry on whose data changed. An entry that did not fit before does not fit afterwards: its
-- hash, its link or the head of its chain is left alone.
CREATE FUNCTION audit_rehash(p_chain text, p_from bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  e record;
  v_head bytea := (SELECT head FROM audit_chains WHERE chain = p_chain);
  v_before bytea := coalesce((SELECT hash FROM audit_entries WHERE chain = p_chain AND seq = p_from - 1), '');
  v_after bytea := v_before;
  v_prev bytea;
  v_hash bytea;
BEGIN
  FOR e IN
    SELECT a.*, coalesce(b.data, a.data) AS former FROM audit_entries a
    LEFT JOIN audit_former_data b ON b.chain = a.chain AND b.seq = a.seq
    WHERE a.chain = p_chain AND a.seq >= p_from ORDER BY a.seq
  LOOP
    v_prev := CASE WHEN e.prev_hash = v_before THEN v_after ELSE e.prev_hash END;
    v_hash := CASE
      WHEN e.hash = audit_hash(e.prev_hash, e.chain, e.seq, e.at, e.actor_id, e.action, e.object_type, e.object_id,
        e.event_id, e.by_right, e.request_id, e.former)
      THEN audit_hash(v_prev, e.chain, e.seq, e.at, e.actor_id, e.action, e.object_type, e.object_id,
        e.event_id, e.by_right, e.request_id, e.data)
      ELSE e.hash END;
    UPDATE audit_entries SET prev_hash = v_prev, hash = v_hash WHERE chain = p_chain AND seq = e.seq;
    v_before := e.hash;
    v_after := v_hash;
  END LOOP;
  IF v_head = v_before THEN UPDATE audit_chains SET head = v_after WHERE chain = p_chain; END IF;
END $$;

CREATE TABLE audit_former_data AS
  SELECT chain, seq, data FROM audit_entries WHERE action = 'file.original' AND data ? 'reason';
CREATE TABLE audit_former_heads AS
  SELECT f.chain, min(f.seq) AS first, count(*) AS entries, encode(c.head, 'hex') AS head
  FROM audit_former_data f LEFT JOIN audit_chains c ON c.chain = f.chain GROUP BY f.chain, c.head;

UPDATE audit_entries e SET data = e.data - 'reason' FROM audit_former_data f WHERE e.chain = f.chain AND e.seq = f.seq;
SELECT audit_rehash(chain, first) FROM audit_former_heads;

-- The deletion of an organization holds the last hash of its chain; where that one changed, it follows, if it fitted.
INSERT INTO audit_former_data
  SELECT d.chain, d.seq, d.data FROM audit_entries d JOIN audit_former_heads h ON h.chain = d.object_id::text
  WHERE d.chain = 'system' AND d.action = 'organization.delete' AND d.data->>'chainHead' = h.head;
UPDATE audit_entries d SET data = jsonb_set(d.data, '{chainHead}', to_jsonb(encode(c.head, 'hex')))
  FROM audit_former_data f, audit_chains c
  WHERE f.chain = 'system' AND d.chain = 'system' AND d.seq = f.seq AND c.chain = d.object_id::text;
SELECT audit_rehash('system', min(seq)) FROM audit_former_data WHERE chain = 'system' HAVING count(*) > 0;

ALTER TABLE "audit_entries" ENABLE TRIGGER "audit_entries_no_update";

-- What was done here is an entry itself; of a deleted organization in the chain of the system.
SELECT audit_append(CASE WHEN o.id IS NULL THEN 'system' ELSE h.chain END, NULL, 'audit.redact', 'audit',
  CASE WHEN h.chain = 'system' THEN NULL ELSE h.chain::uuid END, NULL, 'migration', NULL,
  jsonb_build_object('reasons', h.entries, 'firstSeq', h.first, 'formerHead', h.head))
FROM audit_former_heads h LEFT JOIN organizations o ON o.id::text = h.chain ORDER BY h.chain;

DROP FUNCTION audit_rehash(text, bigint);
DROP TABLE audit_former_data, audit_former_heads;
