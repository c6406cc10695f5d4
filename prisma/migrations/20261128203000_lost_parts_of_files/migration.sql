alter table related_files add column lost text[] default array[]::text[];
