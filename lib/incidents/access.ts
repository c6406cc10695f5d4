import { LRUCache } from "lru-cache";
import { asyncCommitClient, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { publishLiveBroadcast } from "#lib/jobs/broadcast.ts";
import { findDatabaseErrorCode } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { type Actor, findActorRightForPermission } from "#lib/operation/policy.ts";

/**
 * The access log (docs/decisions/013): one row for each view of an incident, its files, an export of it, or the log
 * itself. It holds ids only. The row is written before anything is shown.
 */

/**
 * `view`: the record, its history or its messages. `list`: a list with the reports' texts, once a day. `log`: the access
 * log itself. `emergency`: somebody opened an incident that was closed to them.
 */
export const ACCESS_KINDS = ["view", "list", "file", "original", "export", "log", "emergency"] as const;
type AccessKind = (typeof ACCESS_KINDS)[number];

export type AccessLogEntry = {
  incidentId: string;
  eventId: string;
  /**
   * The person who filed the report. Their own views aren't recorded: the log must not reveal when they came back to
   * it.
   */
  reporterId: string | null;
  actorId: string;
  kind: AccessKind;
  /** ID of the file, if a file was opened. */
  objectId?: string | null;
  right: string;
  /** A page reads several parts of an incident in one request; they count as one view. */
  requestId?: string;
};

/**
 * Records a view; await it before sending the response. Concurrent requests share one insert: the first starts at
 * once, and entries that arrive while it runs go together into the next.
 * @throws the database's error; then nothing may be shown
 */
export function recordAccess(accessEntry: AccessLogEntry): Promise<void> {
  if (accessEntry.actorId === accessEntry.reporterId) return Promise.resolve();
  return recordOncePerRequest(
    accessEntry,
    () =>
      new Promise((resolve, reject) =>
        enqueueWrite({ entry: accessEntry, onWritten: resolve, failed: reject }),
      ),
  );
}

type AccessContext = Pick<AccessLogEntry, "incidentId" | "eventId" | "reporterId" | "right"> & {
  actor: { id: string };
  call: { requestId: string };
};

/** Records what the actor of an operation reads of its incident. @throws like `recordAccess` */
export const recordIncidentAccessByOperation = (
  { incidentId, eventId, reporterId, actor, right, call }: AccessContext,
  access: Pick<AccessLogEntry, "kind" | "objectId">,
): Promise<void> =>
  recordAccess({
    incidentId,
    eventId,
    reporterId,
    actorId: actor.id,
    right,
    requestId: call.requestId,
    ...access,
  });

/** Marks the actor's notifications about an incident that they open as read, and updates their other open pages. */
export async function markIncidentNotificationsRead(
  { id }: { id: string },
  incidentId: string,
): Promise<void> {
  const count = await sql.$executeRaw`
    update notifications set read_at = now() where incident_id = ${incidentId}::uuid and user_id = ${id}::uuid and read_at is null`;
  if (count > 0)
    await publishLiveBroadcast(sql, { change: null, notifiedPersonIds: [id], accessChangedPersonIds: [] });
}

/**
 * Records that somebody opened or exported incidents other than their own, in one statement; in a transaction, so that what
 * else it records doesn't exist without. Await it before sending anything. Skips incidents that are deleted in the meantime.
 * @throws the database's error; then nothing may be sent
 */
export async function recordAccessOfIncidents(
  client: SqlClient,
  incidentIds: readonly string[],
  { actorId, kind, objectId = null, right }: Pick<AccessLogEntry, "actorId" | "kind" | "objectId" | "right">,
): Promise<void> {
  if (incidentIds.length === 0) return;
  await client.$executeRaw`
    insert into incident_access (incident_id, event_id, actor_id, kind, object_id, by_right)
    select i.id, i.event_id, ${actorId}::uuid, ${kind}, ${objectId}::uuid, ${right} from incidents i
    where i.id = any(${incidentIds}::uuid[]) and i.reporter_id is distinct from ${actorId}::uuid
    order by i.id for key share of i`;
}

export type ListedIncidentRef = { id: string; eventId: string };

/** What this process has recorded of lists, by UTC day, person and incident. */
const recordedInLists = new LRUCache<string, true>({ max: 5000, ttl: 600_000 });

/**
 * Records that a list over HTTP showed the actor the texts of these incidents: one row for each of them and each UTC
 * day, without their own reports. Who asks again writes nothing. Pages show titles alone and record nothing. Await it
 * before sending the list.
 * @throws the database's error; then nothing may be shown
 */
export async function recordListAccess(
  { actor, call }: { actor: Actor; call: OperationCall },
  incidents: readonly ListedIncidentRef[],
): Promise<void> {
  if (!call.request) return;
  const today = new Date().toISOString().slice(0, 10);
  const toKey = ({ id }: ListedIncidentRef) => `${today} ${actor.id} ${id}`;
  const shown = incidents.filter((one) => !recordedInLists.has(toKey(one)));
  if (shown.length === 0) return;
  const rights = shown.map(
    ({ eventId }) => findActorRightForPermission(actor, "incident.view", { eventId }) ?? "SystemAdmin",
  );
  await asyncCommitClient.$executeRaw`
    insert into incident_access (incident_id, event_id, actor_id, kind, by_right)
    select i.id, i.event_id, ${actor.id}::uuid, 'list', r.by_right
    from unnest(${shown.map(({ id }) => id)}::uuid[], ${rights}::text[]) as r(id, by_right)
      join incidents i on i.id = r.id
    where i.reporter_id is distinct from ${actor.id}::uuid
      and not exists (select 1 from incident_access a where a.incident_id = i.id and a.actor_id = ${actor.id}::uuid
        and a.kind = 'list' and (a.at at time zone 'UTC')::date = (now() at time zone 'UTC')::date)
    order by i.id for key share of i on conflict do nothing`;
  for (const one of shown) recordedInLists.set(toKey(one), true);
}

type PendingWrite = { entry: AccessLogEntry; onWritten: () => void; failed: (reason: unknown) => void };

const MAX_BATCH_SIZE = 500;
const pendingWrites: PendingWrite[] = [];
let isDraining = false;

function enqueueWrite(one: PendingWrite): void {
  pendingWrites.push(one);
  if (!isDraining) void drainPendingWrites();
}

async function drainPendingWrites(): Promise<void> {
  isDraining = true;
  while (pendingWrites.length > 0) await writeBatch(pendingWrites.splice(0, MAX_BATCH_SIZE));
  isDraining = false;
}

/**
 * Retries a failed batch entry by entry, so that one bad entry fails only its own request. An entry whose incident was
 * deleted in the meantime (23503) is dropped: there is nothing left to show.
 */
async function writeBatch(batch: PendingWrite[]): Promise<void> {
  try {
    await insertEntries(batch.map(({ entry }) => entry));
    for (const { onWritten } of batch) onWritten();
  } catch (error) {
    const [firstWrite] = batch;
    if (batch.length === 1)
      return findDatabaseErrorCode(error) === "23503" ? firstWrite?.onWritten() : firstWrite?.failed(error);
    for (const one of batch) await writeBatch([one]);
  }
}

const insertEntries = (accessEntries: AccessLogEntry[]): Promise<number> => asyncCommitClient.$executeRaw`
  insert into incident_access (incident_id, event_id, actor_id, kind, object_id, by_right)
  select * from unnest(${accessEntries.map((accessEntry) => accessEntry.incidentId)}::uuid[], ${accessEntries.map((accessEntry) => accessEntry.eventId)}::uuid[],
    ${accessEntries.map((accessEntry) => accessEntry.actorId)}::uuid[], ${accessEntries.map((accessEntry) => accessEntry.kind)}::text[],
    ${accessEntries.map((accessEntry) => accessEntry.objectId ?? null)}::uuid[], ${accessEntries.map((accessEntry) => accessEntry.right)}::text[])`;

const recentWrites = new LRUCache<string, Promise<void>>({ max: 2000 });

/** Joins the write that the same request has already started for this entry, or starts it. */
function recordOncePerRequest(accessEntry: AccessLogEntry, startWrite: () => Promise<void>): Promise<void> {
  if (!accessEntry.requestId) return startWrite();
  const key = [
    accessEntry.requestId,
    accessEntry.actorId,
    accessEntry.incidentId,
    accessEntry.kind,
    accessEntry.objectId,
  ].join(" ");
  const recentWrite = recentWrites.get(key);
  if (recentWrite) return recentWrite;
  const startedWrite = startWrite();
  recentWrites.set(key, startedWrite);
  startedWrite.catch(() => recentWrites.delete(key));
  return startedWrite;
}
