-- Bytes of evidence per event. Whoever adds to them locks the row, so that two uploads can't both be the last that fits.
CREATE OR REPLACE FUNCTION evidence_usage_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO evidence_usage AS u (event_id, bytes)
  SELECT event_id, sum(size::bigint + coalesce(original_size, 0)) FROM added GROUP BY event_id ORDER BY event_id
  ON CONFLICT (event_id) DO UPDATE SET bytes = u.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION evidence_usage_remove() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE evidence_usage u SET bytes = greatest(0, u.bytes - r.bytes)
  FROM (SELECT event_id, sum(size::bigint + coalesce(original_size, 0)) AS bytes FROM removed GROUP BY event_id) r
  WHERE u.event_id = r.event_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER evidence_usage_on_insert AFTER INSERT ON related_files
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION evidence_usage_add();

CREATE OR REPLACE TRIGGER evidence_usage_on_delete AFTER DELETE ON related_files
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION evidence_usage_remove();
