-- The language in which somebody reads the interface and their mails; null: what the browser asks for.
alter table "users" add column "locale" text;
