import { sql } from "#lib/database/client.ts";

/** Finds how many slots of these names are in use, and when the first of them is free again. */
export async function findRateLimitSlotUsage(
  names: string[],
  now: number,
): Promise<{ live: number; free: number } | undefined> {
  const [used] = await sql.$queryRaw<{ live: number; free: number }[]>`
    select count(*)::int as live, coalesce(min(expire), 0)::float8 as free from rate_limits
    where key = any(${names}::text[]) and expire > ${now}::bigint`;
  return used;
}
