-- What is counted by an index alone (docs/decisions/016) looks into the table for each row on a page that was written
-- since it was last tidied. By itself the database waits until a fifth of the table has changed, which in a large one
-- takes weeks; a fiftieth comes soon.
ALTER TABLE "incidents" SET (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02
);
