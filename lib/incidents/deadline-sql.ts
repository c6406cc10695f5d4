import { Prisma } from "#lib/generated/prisma/client.ts";

/** SQL about the running deadline of an incident `i`. */

/**
 * Condition: once the deadline of the first response is missed, the history still needs an entry about that. A report
 * that is escalated already needs none, except an urgent one, which is escalated as it arrives, before its deadline.
 */
export const LACKS_DEADLINE_HISTORY_ENTRY_SQL = Prisma.sql`(i.escalated_at is null or i.urgent
  and not exists (select 1 from incident_history h where h.incident_id = i.id and h.action = 'deadline'))`;

/** The length of the deadline as the history writes it: "15 min" or "24 h". */
export const DEADLINE_LENGTH_LABEL_SQL = Prisma.sql`case when i.due_at - i.due_since < interval '1 hour'
  then round(extract(epoch from i.due_at - i.due_since) / 60) || ' min'
  else round(extract(epoch from i.due_at - i.due_since) / 3600) || ' h' end`;
