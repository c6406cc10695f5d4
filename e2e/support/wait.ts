import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls a function repeatedly until it returns something other than undefined, null or false.
 * @param patienceMs maximum wait in milliseconds; by default 50 seconds, less than any test may take
 * @throws Error naming what was waited for
 */
export async function waitUntil<T>(
  what: string,
  ask: () => T | Promise<T>,
  patienceMs = 50_000,
): Promise<NonNullable<T>> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(25)) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
  }
  throw new Error(`Waited ${patienceMs / 1000} seconds in vain: ${what}`);
}
