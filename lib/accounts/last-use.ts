import { db } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { log } from "#lib/observability/log.ts";

/**
 * When sessions and API tokens were last used, by the quarter of an hour. Uses are gathered in memory, and written for
 * all of them together when the quarter is over: a row that is written at a request says in the order of transactions,
 * and in the write-ahead log to the microsecond, who sent an anonymous report (docs/decisions/028).
 */

type UseTable = "sessions" | "api_tokens";
type PendingUses = Record<UseTable, Map<string, number>> & { timer?: NodeJS.Timeout | undefined };

// One for all copies of this module in a process.
const pendingUses: PendingUses = ((
  globalThis as unknown as { heedPendingUses?: PendingUses }
).heedPendingUses ??= {
  sessions: new Map(),
  api_tokens: new Map(),
});

const MAX_PERIOD_MS = 15 * 60_000;
const RETRY_MS = 5000;

/** How long the uses of a period that is over may take to be written, in seconds. */
const WRITE_GRACE_SECONDS = 10;

/** For how long a session lasts after the beginning of the period in which it was last used, in seconds. */
export const sessionIdleSeconds = (): number => env().SESSION_IDLE_SECONDS + WRITE_GRACE_SECONDS;

/** A part of the idle limit, so that a session ends where a period does, and not between a use and its writing. */
function periodMs(): number {
  const idleMs = env().SESSION_IDLE_SECONDS * 1000;
  return idleMs / Math.max(8, Math.ceil(idleMs / MAX_PERIOD_MS));
}

/** When the present period began. */
export const currentPeriodStart = (): Date => new Date(Math.floor(Date.now() / periodMs()) * periodMs());

/** Notes that a session or token is used now. `lastUsedAt`: as its row has it. */
export function recordUse(table: UseTable, id: string, lastUsedAt: Date): void {
  const period = currentPeriodStart();
  if (lastUsedAt >= period) return;
  pendingUses[table].set(id, period.getTime());
  pendingUses.timer ??= setTimeout(flushWhenDue, period.getTime() + periodMs() - Date.now()).unref();
}

function flushWhenDue(): void {
  pendingUses.timer = undefined;
  flushLastUses().catch(() => {
    log.warn("times of last use can't be written yet");
    pendingUses.timer ??= setTimeout(flushWhenDue, RETRY_MS).unref();
  });
}

/**
 * Writes what was noted. Called when a period is over, and when the process ends.
 * @throws what the database throws; nothing is forgotten then
 */
export async function flushLastUses(): Promise<void> {
  for (const table of ["sessions", "api_tokens"] as const) {
    const uses = pendingUses[table];
    if (uses.size === 0) continue;
    pendingUses[table] = new Map();
    await writeUses(table, uses).catch((error: unknown) => {
      pendingUses[table] = new Map([...uses, ...pendingUses[table]]);
      throw error;
    });
  }
}

/** In the order of their ids, which are random: that of the rows must not be that of the uses. */
async function writeUses(table: UseTable, uses: Map<string, number>): Promise<void> {
  const ids = [...uses.keys()].toSorted();
  const times = ids.map((id) => new Date(uses.get(id) ?? 0));
  // What another process is just writing is the same.
  const statements = {
    sessions: () => db.$executeRaw`
      with locked as (
        select id from sessions where id = any(${ids}::uuid[]) order by id for no key update skip locked
      )
      update sessions s set last_used_at = used.at
      from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at) join locked on locked.id = used.id
      where s.id = used.id and s.last_used_at < used.at`,
    api_tokens: () => db.$executeRaw`
      with locked as (
        select id from api_tokens where id = any(${ids}::uuid[]) order by id for no key update skip locked
      )
      update api_tokens t set last_used_at = used.at
      from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at) join locked on locked.id = used.id
      where t.id = used.id and (t.last_used_at is null or t.last_used_at < used.at)`,
  };
  await statements[table]();
}
