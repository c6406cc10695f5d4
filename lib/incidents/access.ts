import { db, unhurried } from "#lib/database/client.ts";
import { databaseCode } from "#lib/operation/errors.ts";

/**
 * Who has looked (docs/decisions/013): one line for each view of an incident, its files, an export of it, and the
 * log itself. Ids only. Nothing is shown before its line is kept.
 */

/** `view`: the record, its history or its conversation. `log`: the list of those who have looked. */
export const ACCESS_KINDS = ["view", "file", "original", "export", "log"] as const;
type AccessKind = (typeof ACCESS_KINDS)[number];

export type Look = {
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
export function recordAccess(look: Look): Promise<void> {
  if (look.actorId === look.reporterId) return Promise.resolve();
  return oncePerRequest(look, () => new Promise((kept, failed) => join({ look, kept, failed })));
}

/**
 * Keeps one line for each of these incidents, which are about to leave in an export, in one statement.
 * @throws what the database throws; then nothing may be handed out
 */
export async function recordExport(
  incidentIds: readonly string[],
  { actorId, right }: { actorId: string; right: string },
): Promise<void> {
  if (incidentIds.length === 0) return;
  await db.$executeRaw`
    insert into incident_access (incident_id, event_id, actor_id, kind, by_right)
    select i.id, i.event_id, ${actorId}::uuid, 'export', ${right} from incidents i
    where i.id = any(${incidentIds}::uuid[]) and i.reporter_id is distinct from ${actorId}::uuid`;
}

type Waiting = { look: Look; kept: () => void; failed: (reason: unknown) => void };

const MOST_AT_ONCE = 500;
const waiting: Waiting[] = [];
let underWay = false;

function join(one: Waiting): void {
  waiting.push(one);
  if (!underWay) void writeAll();
}

async function writeAll(): Promise<void> {
  underWay = true;
  while (waiting.length > 0) await write(waiting.splice(0, MOST_AT_ONCE));
  underWay = false;
}

/**
 * What fails together is tried one by one, so that nobody fails for somebody else's line. An incident that was deleted
 * in this moment gets none: there is nothing left to show.
 */
async function write(batch: Waiting[]): Promise<void> {
  try {
    await insert(batch.map(({ look }) => look));
    for (const { kept } of batch) kept();
  } catch (error) {
    const [only] = batch;
    if (batch.length === 1) return databaseCode(error) === "23503" ? only?.kept() : only?.failed(error);
    for (const one of batch) await write([one]);
  }
}

const insert = (looks: Look[]): Promise<number> => unhurried.$executeRaw`
  insert into incident_access (incident_id, event_id, actor_id, kind, object_id, by_right)
  select * from unnest(${looks.map((look) => look.incidentId)}::uuid[], ${looks.map((look) => look.eventId)}::uuid[],
    ${looks.map((look) => look.actorId)}::uuid[], ${looks.map((look) => look.kind)}::text[],
    ${looks.map((look) => look.objectId ?? null)}::uuid[], ${looks.map((look) => look.right)}::text[])`;

const MOST_REMEMBERED = 2000;
const remembered = new Map<string, Promise<void>>();

/** Waits for the line that the same request has begun already, or begins it. */
function oncePerRequest(look: Look, begin: () => Promise<void>): Promise<void> {
  if (!look.requestId) return begin();
  const key = [look.requestId, look.actorId, look.incidentId, look.kind, look.objectId].join(" ");
  const known = remembered.get(key);
  if (known) return known;
  const begun = begin();
  remembered.set(key, begun);
  begun.catch(() => remembered.delete(key));
  for (const oldest of remembered.keys()) {
    if (remembered.size <= MOST_REMEMBERED) break;
    remembered.delete(oldest);
  }
  return begun;
}
