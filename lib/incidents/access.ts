import { db, asyncCommitPool } from "#lib/database/client.ts";
import { databaseErrorCode } from "#lib/operation/errors.ts";

/**
 * Who has looked (docs/decisions/013): one line for each view of an incident, its files, an export of it, and the
 * log itself. Ids only. Nothing is shown before its line is kept.
 */

/** `view`: the record, its history or its conversation. `log`: the list of those who have looked. */
export const ACCESS_KINDS = ["view", "file", "original", "export", "log"] as const;
type AccessKind = (typeof ACCESS_KINDS)[number];

export type AccessLogEntry = {
  incidentId: string;
  eventId: string;
  /** Whose report it is. Their own visits are not kept: the log must not tell when somebody came back to it. */
  reporterId: string | null;
  actorId: string;
  kind: AccessKind;
  /** The file, where it is one. */
  objectId?: string | null;
  right: string;
  /** A page asks for several parts of an incident in one request; that is one look. */
  requestId?: string;
};

/**
 * Keeps the line of a look; await it before the answer leaves. Lines of requests that come at the same time go into
 * one statement: it starts at once when none is under way, and what arrives meanwhile goes together in the next.
 * @throws what the database throws; then nothing may be shown
 */
export function recordAccess(accessEntry: AccessLogEntry): Promise<void> {
  if (accessEntry.actorId === accessEntry.reporterId) return Promise.resolve();
  return recordOncePerRequest(
    accessEntry,
    () =>
      new Promise((resolve, reject) => enqueueWrite({ look: accessEntry, kept: resolve, failed: reject })),
  );
}

/**
 * Keeps one line for each of these incidents, which are about to leave in an export, in one statement.
 * @throws what the database throws; then nothing may be handed out
 */
export async function recordExportAccess(
  incidentIds: readonly string[],
  { actorId, right }: { actorId: string; right: string },
): Promise<void> {
  if (incidentIds.length === 0) return;
  await db.$executeRaw`
    insert into incident_access (incident_id, event_id, actor_id, kind, by_right)
    select i.id, i.event_id, ${actorId}::uuid, 'export', ${right} from incidents i
    where i.id = any(${incidentIds}::uuid[]) and i.reporter_id is distinct from ${actorId}::uuid`;
}

type PendingWrite = { look: AccessLogEntry; kept: () => void; failed: (reason: unknown) => void };

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
 * What fails together is tried one by one, so that nobody fails for somebody else's line. An incident that was deleted
 * in this moment gets none: there is nothing left to show.
 */
async function writeBatch(batch: PendingWrite[]): Promise<void> {
  try {
    await insertEntries(batch.map(({ look: accessEntry }) => accessEntry));
    for (const { kept: resolve } of batch) resolve();
  } catch (error) {
    const [firstWrite] = batch;
    if (batch.length === 1)
      return databaseErrorCode(error) === "23503" ? firstWrite?.kept() : firstWrite?.failed(error);
    for (const one of batch) await writeBatch([one]);
  }
}

const insertEntries = (accessEntries: AccessLogEntry[]): Promise<number> => asyncCommitPool.$executeRaw`
  insert into incident_access (incident_id, event_id, actor_id, kind, object_id, by_right)
  select * from unnest(${accessEntries.map((accessEntry) => accessEntry.incidentId)}::uuid[], ${accessEntries.map((accessEntry) => accessEntry.eventId)}::uuid[],
    ${accessEntries.map((accessEntry) => accessEntry.actorId)}::uuid[], ${accessEntries.map((accessEntry) => accessEntry.kind)}::text[],
    ${accessEntries.map((accessEntry) => accessEntry.objectId ?? null)}::uuid[], ${accessEntries.map((accessEntry) => accessEntry.right)}::text[])`;

const MAX_RECENT_WRITES = 2000;
const recentWrites = new Map<string, Promise<void>>();

/** Waits for the line that the same request has begun already, or begins it. */
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
  for (const oldest of recentWrites.keys()) {
    if (recentWrites.size <= MAX_RECENT_WRITES) break;
    recentWrites.delete(oldest);
  }
  return startedWrite;
}
