-- Announces what open live streams depend on: revoked sessions and tokens, and changed access. Every process checks those
-- streams as soon as the change is committed (docs/live.md). Triggers do it, since rows are also deleted with an account
-- or an event, and by the nightly cleanup.

-- What lib/outbox/broadcast.ts reads. PostgreSQL takes at most 8000 bytes in one notification.
create or replace function publish_live_message(member text, ids uuid[]) returns void language sql as $$
  select pg_notify('heed_live', (jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000),
    'change', null, 'notifiedPersonIds', '[]'::jsonb, 'accessChangedPersonIds', '[]'::jsonb) || jsonb_build_object(member, jsonb_agg(part.id)))::text)
  from (select id, (place - 1) / 90 as number from unnest(ids) with ordinality as given(id, place)) part
  group by part.number
$$;

create or replace function publish_revoked_access() returns trigger language plpgsql as $$
begin
  perform publish_live_message('revokedIds', array(select id from deleted));
  return null;
end $$;

create or replace trigger sessions_publish_revoked_access after delete on sessions
  referencing old table as deleted for each statement execute function publish_revoked_access();

create or replace trigger api_tokens_publish_revoked_access after delete on api_tokens
  referencing old table as deleted for each statement execute function publish_revoked_access();

create or replace function publish_user_access_change() returns trigger language plpgsql as $$
begin
  perform publish_live_message('accessChangedPersonIds', array[new.id]);
  return null;
end $$;

create or replace trigger users_publish_access_change after update of disabled_at, system_admin on users for each row
  when ((old.disabled_at, old.system_admin) is distinct from (new.disabled_at, new.system_admin))
  execute function publish_user_access_change();

create or replace function publish_second_factor_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform publish_live_message('accessChangedPersonIds', array[old.user_id]);
  else
    perform publish_live_message('accessChangedPersonIds', array[new.user_id]);
  end if;
  return null;
end $$;

create or replace trigger second_factors_publish_confirmation after update of confirmed_at on second_factors for each row
  when (old.confirmed_at is distinct from new.confirmed_at) execute function publish_second_factor_change();

create or replace trigger second_factors_publish_removal after delete on second_factors for each row
  when (old.confirmed_at is not null) execute function publish_second_factor_change();

create or replace function publish_second_factor_requirement() returns trigger language plpgsql as $$
begin
  perform publish_live_message('securityChangedOrganizationIds', array[new.id]);
  return null;
end $$;

create or replace trigger organizations_publish_second_factor_requirement after update of require_second_factor on organizations for each row
  when (old.require_second_factor <> new.require_second_factor) execute function publish_second_factor_requirement();

-- Open streams of the people whose access to an incident changes check it before the next message, in silence; once it gets
-- or loses a list, so do those of its organization.
create or replace function publish_hidden_change() returns trigger language plpgsql as $$
begin
  perform publish_live_message('hiddenChangedPersonIds', array(select distinct user_id from changed));
  return null;
end $$;

create or replace trigger incident_readers_publish_insert after insert on incident_readers
  referencing new table as changed for each statement execute function publish_hidden_change();

create or replace trigger incident_readers_publish_update after update on incident_readers
  referencing new table as changed for each statement execute function publish_hidden_change();

create or replace trigger incident_readers_publish_delete after delete on incident_readers
  referencing old table as changed for each statement execute function publish_hidden_change();

create or replace function publish_list_change() returns trigger language plpgsql as $$
begin
  perform publish_live_message('hiddenChangedOrganizationIds', array(select organization_id from events where id = new.event_id));
  return null;
end $$;

create or replace trigger incidents_publish_new_list after insert on incidents for each row
  when (new.listed) execute function publish_list_change();

create or replace trigger incidents_publish_list_change after update of listed on incidents for each row
  when (old.listed <> new.listed) execute function publish_list_change();
