import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * The latest moment at which entry `e` can have been written: entries that nobody made by name have the beginning of their
 * quarter of an hour (`append_audit_entry`).
 */
export const LATEST_TIME_SQL = Prisma.sql`(e.at + case
  when e.actor_id is null and e.by_right in ('anonymous', 'mailbox', 'letterbox') then interval '15 minutes'
  else interval '0' end)`;
