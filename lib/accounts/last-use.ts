import { Prisma } from "#lib/generated/prisma/client.ts";
import { sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { log } from "#lib/observability/log.ts";
import { processWide } from "#lib/process-wide.ts";

/**
 * When sessions and API tokens were last used, to the quarter of an hour. Uses are collected in memory and written
 * together when the period ends: a row written during a request would reveal, through the order of transactions and
 * to the microsecond in the write-ahead log, who sent an anonymous report (docs/decisions/028).
 */

type UseTable = "sessions" | "api_tokens" | "service_tokens";
type PendingUses = Record<UseTable, Map<string, number>> & { timer?: NodeJS.Timeout | undefined };

const pendingUses = processWide("pending uses", (): PendingUses => ({
  sessions: new Map(),
  api_tokens: new Map(),
  service_tokens: new Map(),
}));

const MAX_PERIOD_MS = 15 * 60_000;
const RETRY_MS = 5000;

/** Maximum time between the end of a period and the write of its uses, in seconds. */
const WRITE_GRACE_SECONDS = 10;

/** Returns how long a session lasts after the start of the period in which it was last used, in seconds. */
export const getSessionIdleLimitSeconds = (): number => env().SESSION_IDLE_SECONDS + WRITE_GRACE_SECONDS;

/**
 * Returns the length of a period in milliseconds: the idle limit divided by a whole number, so that a session expires
 * at the end of a period and not between a use and its write.
 */
function computePeriodMs(): number {
  const idleMs = env().SESSION_IDLE_SECONDS * 1000;
  return idleMs / Math.max(8, Math.ceil(idleMs / MAX_PERIOD_MS));
}

export const computeLastUsePeriodStart = (): Date =>
  new Date(Math.floor(Date.now() / computePeriodMs()) * computePeriodMs());

/** Records that a session or token is used now. `lastUsedAt`: the value in its row. */
export function recordSessionOrTokenLastUse(table: UseTable, id: string, lastUsedAt: Date): void {
  const period = computeLastUsePeriodStart();
  if (lastUsedAt >= period) return;
  pendingUses[table].set(id, period.getTime());
  pendingUses.timer ??= setTimeout(flushWhenDue, period.getTime() + computePeriodMs() - Date.now()).unref();
}

function flushWhenDue(): void {
  pendingUses.timer = undefined;
  flushLastUses().catch(() => {
    log.warn("times of last use can't be written yet");
    pendingUses.timer ??= setTimeout(flushWhenDue, RETRY_MS).unref();
  });
}

/**
 * Writes the recorded uses. Called when a period ends, and when the process stops.
 * @throws what the database throws; if it does, all uses stay recorded
 */
export async function flushLastUses(): Promise<void> {
  for (const table of ["sessions", "api_tokens", "service_tokens"] as const) {
    const uses = pendingUses[table];
    if (uses.size === 0) continue;
    pendingUses[table] = new Map();
    await writeUses(table, uses).catch((error: unknown) => {
      pendingUses[table] = new Map([...uses, ...pendingUses[table]]);
      throw error;
    });
  }
}

/** Writes in the order of the ids, which are random: the order of the rows must not reveal the order of the uses. */
async function writeUses(table: UseTable, uses: Map<string, number>): Promise<void> {
  const ids = [...uses.keys()].toSorted();
  const times = ids.map((id) => new Date(uses.get(id) ?? 0));
  // Skips rows that another process has locked: it is writing the same values.
  await sql.$executeRaw`
    with locked as (
      select id from ${Prisma.raw(table)} where id = any(${ids}::uuid[]) order by id for no key update skip locked
    )
    update ${Prisma.raw(table)} t set last_used_at = used.at
    from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at) join locked on locked.id = used.id
    where t.id = used.id and (t.last_used_at is null or t.last_used_at < used.at)`;
}
