-- Announces what open live streams depend on: ended sessions and tokens, and changed rights. Every process checks those
-- streams as soon as the change is committed (docs/live.md). Triggers do it, since rows are also deleted with an account
-- or an event, and by the nightly cleanup.

-- What lib/outbox/broadcast.ts reads. PostgreSQL takes at most 8000 bytes in one notification.
create or replace function tell_live(member text, ids uuid[]) returns void language sql as $$
  select pg_notify('heed_live', (jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000),
    'fact', null, 'told', '[]'::jsonb, 'changed', '[]'::jsonb) || jsonb_build_object(member, jsonb_agg(part.id)))::text)
  from (select id, (place - 1) / 90 as number from unnest(ids) with ordinality as given(id, place)) part
  group by part.number
$$;

create or replace function way_in_ended() returns trigger language plpgsql as $$
begin
  perform tell_live('ended', array(select id from gone));
  return null;
end $$;

create or replace trigger sessions_ended after delete on sessions
  referencing old table as gone for each statement execute function way_in_ended();

create or replace trigger api_tokens_ended after delete on api_tokens
  referencing old table as gone for each statement execute function way_in_ended();

create or replace function person_changed() returns trigger language plpgsql as $$
begin
  perform tell_live('changed', array[new.id]);
  return null;
end $$;

create or replace trigger users_changed after update of disabled_at, system_admin on users for each row
  when ((old.disabled_at, old.system_admin) is distinct from (new.disabled_at, new.system_admin))
  execute function person_changed();

create or replace function second_factor_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform tell_live('changed', array[old.user_id]);
  else
    perform tell_live('changed', array[new.user_id]);
  end if;
  return null;
end $$;

create or replace trigger second_factors_confirmed after update of confirmed_at on second_factors for each row
  when (old.confirmed_at is distinct from new.confirmed_at) execute function second_factor_changed();

create or replace trigger second_factors_removed after delete on second_factors for each row
  when (old.confirmed_at is not null) execute function second_factor_changed();

create or replace function second_factor_required() returns trigger language plpgsql as $$
begin
  perform tell_live('tightened', array[new.id]);
  return null;
end $$;

create or replace trigger organizations_require_second_factor after update of require_second_factor on organizations for each row
  when (old.require_second_factor <> new.require_second_factor) execute function second_factor_required();
