-- A list that shows a report's texts leaves one line for each person and UTC day.
CREATE UNIQUE INDEX incident_access_list_day ON incident_access (incident_id, actor_id, ((at AT TIME ZONE 'UTC')::date)) WHERE kind = 'list';
