-- Whether single keys do something on the pages of the team, for somebody wherever they are signed in.
alter table "users" add column "single_keys" boolean not null default true;
