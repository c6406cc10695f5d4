import { db } from "#lib/db.ts";
import { env } from "#lib/env.ts";

/**
 * Marks reports that nobody has answered within the response deadline as escalated (rulings R5). Run by the
 * job queue every few minutes. @returns how many were marked.
 */
export const escalateUnanswered = (): Promise<number> => db.$executeRaw`
  with late as (
    update incidents set escalated_at = date_trunc('milliseconds', clock_timestamp()),
      updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')
    where state = 'submitted' and escalated_at is null
      and created_at < now() - make_interval(hours => ${env().RESPONSE_DEADLINE_HOURS}::int)
    returning id, event_id, escalated_at
  )
  insert into incident_history (incident_id, event_id, action, to_value, created_at)
  select id, event_id, 'deadline', ${`${env().RESPONSE_DEADLINE_HOURS} h`}, escalated_at from late`;
