import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { OUTBOX_EVENT_KINDS } from "#lib/jobs/outbox-events.ts";

/** Finds out whether events wait to be dispatched, and whether notifications wait to be mailed. */
export async function detectDueOutboxEventsAndMails(): Promise<
  { events: boolean; mails: boolean } | undefined
> {
  const [pending] = await sql.$queryRaw<{ events: boolean; mails: boolean }[]>`
    select exists (select 1 from outbox_events where ${isOutboxEventDueSql()}) as events,
      exists (select 1 from notifications where mail_due <= now()) as mails`;
  return pending;
}

/** Whether an outbox event is due, of a kind that this version knows. */
export const isOutboxEventDueSql = (): Prisma.Sql =>
  Prisma.sql`due_at <= now() and kind = any(${[...OUTBOX_EVENT_KINDS]}::text[])`;

/** Lists the events that are due, oldest first. */
export const listDueOutboxEventIds = (limit: number): Promise<{ id: bigint }[]> => sql.$queryRaw<
  { id: bigint }[]
>`
  select id from outbox_events where ${isOutboxEventDueSql()} order by id limit ${limit}::bigint`;
