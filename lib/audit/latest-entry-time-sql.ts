import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * The latest time at which entry `e` can have been written. An entry without a named actor has the start of its quarter
 * of an hour as its time (`append_audit_entry`), so it may be up to 15 minutes later.
 */
export const LATEST_POSSIBLE_TIME_OF_ENTRY_SQL = Prisma.sql`(e.at + case
  when e.actor_id is null and e.by_right in ('anonymous', 'mailbox') then interval '15 minutes'
  else interval '0' end)`;
