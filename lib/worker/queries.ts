import { sql } from "#lib/database/client.ts";

/** Finds out whether events wait to be dispatched, and whether notifications wait to be mailed. */
export async function detectDueOutboxEventsAndMails(): Promise<
  { events: boolean; mails: boolean } | undefined
> {
  const [pending] = await sql.$queryRaw<{ events: boolean; mails: boolean }[]>`
    select exists (select 1 from outbox_events where due_at <= now()) as events,
      exists (select 1 from notifications where mail_due <= now()) as mails`;
  return pending;
}

/** Lists the events that are due, oldest first. */
export const listDueOutboxEventIds = (limit: number): Promise<{ id: bigint }[]> => sql.$queryRaw<
  { id: bigint }[]
>`
  select id from outbox_events where due_at <= now() order by id limit ${limit}::bigint`;
