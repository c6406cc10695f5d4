import { LRUCache } from "lru-cache";
import { computeHashWithKeyNotOnDisk } from "#lib/crypto/keyed-hash.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { RateLimit } from "#lib/rate-limits/rate-limit-headers.ts";

/**
 * Rate limits of one signed-in person, stored so that nothing on disk leads back to that person or links two of their
 * requests (docs/decisions/029). A limit is a number of slots; each used slot is a row whose name can only be
 * computed with a key that is kept in memory.
 */

/**
 * A counted call. `refund` removes it from the count. `remaining` is what this process knows without another query: a
 * minimum number of calls, and the milliseconds until there are more.
 */
type CountedCall = { refund(): Promise<void>; remaining: { calls: number; ms: number } };
type RefusedCall = { refusedForMs: number };

/** Maximum slots of a limit. If a limit allows more calls, each slot stands for several calls of one process. */
const MAX_SLOTS = 60;

/**
 * Counts one call of a person, or returns for how long their calls are refused.
 * @throws the database's error when it is unavailable
 */
export function tryConsumePersonLimit(limit: RateLimit, userId: string): Promise<CountedCall | RefusedCall> {
  const state = findOrCreateState(limit, userId);
  // Runs one at a time: concurrent calls would compete for the same slot.
  const outcome = state.turn.then(() => consumeSlot(limit, userId, state));
  state.turn = outcome.catch(() => undefined);
  return outcome;
}

/**
 * Returns for how many milliseconds the person's calls are refused, whichever process counted them; 0 when a call
 * remains. Counts nothing.
 * @throws the database's error when it is unavailable
 */
export async function computePersonLimitRefusalMs(limit: RateLimit, userId: string): Promise<number> {
  const now = Date.now();
  const state = findOrCreateState(limit, userId);
  if (state.refusedUntil > now) return state.refusedUntil - now;
  if (state.slotCalls > 0 && state.slotExpires > now) return 0;
  const { names, earlier, slots } = listSlots(limit, userId, now);
  const used = await prisma.rateLimit.aggregate({
    where: { key: { in: [...names, ...earlier] }, expire: { gt: now } },
    _count: { _all: true },
    _min: { expire: true },
  });
  return used._count._all >= slots ? Math.max(1, Number(used._min.expire) - now) : 0;
}

/** The state of one limit of one person, as far as this process knows it. */
type LimitState = {
  /** Calls that remain in the last slot, and the time until which they may be used. */
  slotCalls: number;
  slotExpires: number;
  /** Calls of the slots that were free at the last claim, and the time when the next used slot is free again. */
  unclaimed: number;
  nextFree: number;
  refusedUntil: number;
  turn: Promise<unknown>;
};

/** Of those who called last. Whoever calls again after others took their place begins a new slot. */
const states = new LRUCache<string, LimitState>({ max: 20_000 });

function findOrCreateState({ name }: RateLimit, userId: string): LimitState {
  const key = `${name} ${userId}`;
  const state = states.get(key) ?? {
    slotCalls: 0,
    slotExpires: 0,
    unclaimed: 0,
    nextFree: 0,
    refusedUntil: 0,
    turn: Promise.resolve(),
  };
  states.set(key, state);
  return state;
}

async function consumeSlot(
  limit: RateLimit,
  userId: string,
  state: LimitState,
): Promise<CountedCall | RefusedCall> {
  const now = Date.now();
  if (state.refusedUntil > now) return { refusedForMs: state.refusedUntil - now };
  if (state.slotCalls === 0 || state.slotExpires <= now) {
    const slot = await claimSlot(limit, userId, now);
    if ("fullUntil" in slot) {
      state.refusedUntil = slot.fullUntil;
      return { refusedForMs: Math.max(1, slot.fullUntil - now) };
    }
    Object.assign(state, { unclaimed: slot.unclaimed, nextFree: slot.nextFree });
    if (slot.calls === 1)
      return { refund: () => releaseSlot(slot.name, state), remaining: computeRemaining(state, now) };
    Object.assign(state, { slotCalls: slot.calls, slotExpires: slot.expire });
  }
  state.slotCalls -= 1;
  return { refund: async () => void (state.slotCalls += 1), remaining: computeRemaining(state, now) };
}

const computeRemaining = ({ slotCalls, unclaimed, nextFree }: LimitState, now: number) => ({
  calls: slotCalls + unclaimed,
  ms: Math.max(0, nextFree - now),
});

async function releaseSlot(name: string, state: LimitState): Promise<void> {
  await prisma.rateLimit.deleteMany({ where: { key: name } });
  state.refusedUntil = 0;
}

type Slot =
  | { name: string; calls: number; expire: number; unclaimed: number; nextFree: number }
  | { fullUntil: number };

/** The slots of a limit: how many calls each stands for, and their names in the current and the previous period. */
function listSlots({ name, points, seconds }: RateLimit, userId: string, now: number) {
  const calls = Math.ceil(points / MAX_SLOTS);
  const slots = Math.ceil(points / calls);
  const period = Math.floor(now / (seconds * 1000));
  const slotNamesInPeriod = (one: number) =>
    Array.from({ length: slots }, (_, n) =>
      computeHashWithKeyNotOnDisk("rate-limit", `${name} ${userId} ${one} ${n}`),
    );
  return { calls, slots, names: slotNamesInPeriod(period), earlier: slotNamesInPeriod(period - 1) };
}

/**
 * Claims a free slot. A slot stays used for the duration of the limit, counted from the call; its end is rounded down
 * to a sixtieth of the duration (a minute for an hour, a second for a minute), so that no wait is longer than the
 * window that responses name. Slot names change with each period of that duration, so the query covers the current and
 * the previous period.
 */
async function claimSlot(limit: RateLimit, userId: string, now: number): Promise<Slot> {
  const { points, seconds } = limit;
  const duration = seconds * 1000;
  const step = duration / 60;
  const expire = Math.floor((now + duration) / step) * step;
  const { calls, slots, names, earlier } = listSlots(limit, userId, now);
  // Another process may claim the same slot first; then one fewer is free, and the next attempt tries another.
  for (;;) {
    const [found] = await sql.$queryRaw<{ name: string | null; live: number; free: number }[]>`
      with used_slots as (
        select expire from rate_limits where key = any(${[...names, ...earlier]}::text[]) and expire > ${now}::bigint
      ), claimed_slot as (
        insert into rate_limits (key, points, expire)
        select slot.name, 1, ${expire}::bigint from unnest(${names}::text[]) with ordinality as slot (name, number)
        where (select count(*) from used_slots) < ${slots}::int
          and not exists (select 1 from rate_limits r where r.key = slot.name and r.expire > ${now}::bigint)
        order by slot.number limit 1
        on conflict (key) do update set expire = excluded.expire where rate_limits.expire <= ${now}::bigint
        returning key
      )
      select (select key from claimed_slot) as name, (select count(*) from used_slots)::int as live,
        coalesce((select min(expire) from used_slots), 0)::float8 as free`;
    if (!found) throw new Error("no slot was looked for");
    if (found.name)
      return {
        name: found.name,
        calls: Math.min(calls, points - found.live * calls),
        expire,
        unclaimed: Math.max(0, points - (found.live + 1) * calls),
        nextFree: found.free || expire,
      };
    if (found.live >= slots) return { fullUntil: found.free };
  }
}
