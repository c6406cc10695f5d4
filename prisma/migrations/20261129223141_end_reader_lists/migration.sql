-- An incident can lose its list, too.
drop trigger incidents_publish_new_list on incidents;
drop function publish_new_list();

create or replace function publish_list_change() returns trigger language plpgsql as $$
begin
  perform publish_live_message('hiddenChangedOrganizationIds', array(select organization_id from events where id = new.event_id));
  return null;
end $$;

create or replace trigger incidents_publish_new_list after insert on incidents for each row
  when (new.listed) execute function publish_list_change();

create or replace trigger incidents_publish_list_change after update of listed on incidents for each row
  when (old.listed <> new.listed) execute function publish_list_change();
