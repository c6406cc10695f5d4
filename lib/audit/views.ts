import { db, transaction } from "#lib/database/client.ts";
import type { Action } from "#lib/audit/actions.ts";
import { audit, type Deed } from "#lib/audit/audit.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Filter, Log } from "#lib/audit/queries.ts";

/** Who looks into a log, by what right, and in which request. */
export type Reader = { actorId: string; right: string; requestId: string };

/** A log and where looking into it is recorded: in the log itself, unless its organization is gone. */
export type Recorded = Log & { living: boolean };

/**
 * Records that somebody looks into a log: once a minute for each person and log, so that the log stays
 * readable. Of several looks at once the first to hold the lock is the one that is recorded.
 */
export async function recordView(log: Recorded, by: Reader): Promise<void> {
  const lately = viewedLately(log, by);
  const [seen] = await db.$queryRaw<{ lately: boolean }[]>`select ${lately} as lately`;
  if (seen?.lately) return;
  const entry = deedOf(log, by, "audit.view");
  await transaction(async (tx) => {
    const key = `audit.view ${by.actorId} ${log.chain} ${log.eventId ?? ""}`;
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
    await tx.$executeRaw`
      select audit_append(${placeOf(log)}, ${by.actorId}::uuid, 'audit.view', 'audit', ${entry.object.id}::uuid,
        ${log.eventId ?? null}::uuid, ${by.right}, ${by.requestId}, ${JSON.stringify(entry.data)}::jsonb)
      where not ${lately}`;
  });
}

/** Records that a log is handed out as a file, and by which filter. */
export async function recordExport(log: Recorded, filter: Filter, by: Reader): Promise<void> {
  const { actor = null, action = null, objectType = null } = filter;
  const times = { from: filter.from?.toISOString() ?? null, to: filter.to?.toISOString() ?? null };
  const entry = deedOf(log, by, "audit.export");
  const data = { ...entry.data, format: "csv", actor, action, objectType, ...times };
  await transaction((tx) => audit(tx, { ...entry, data }));
}

const viewedLately = (log: Recorded, by: Reader) => Prisma.sql`exists (
  select 1 from audit_entries where actor_id = ${by.actorId}::uuid and at > now() - interval '1 minute'
    and chain = ${placeOf(log)} and action = 'audit.view' and event_id is not distinct from ${log.eventId ?? null}::uuid
    and object_id is not distinct from ${objectOf(log)}::uuid)`;

const placeOf = ({ chain, living }: Recorded): string => (living ? chain : "system");

/** The event, or the organization; the system's own log is the log of nothing else. */
const objectOf = ({ chain, eventId }: Recorded): string | null =>
  eventId ?? (chain === "system" ? null : chain);

function deedOf(log: Recorded, { actorId, right, requestId }: Reader, action: Action): Deed {
  const place = placeOf(log);
  return {
    action,
    organizationId: place === "system" ? null : place,
    eventId: log.eventId ?? null,
    actorId,
    right,
    object: { type: "audit", id: objectOf(log) },
    data: {},
    requestId,
  };
}
