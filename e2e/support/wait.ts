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
  const start = Date.now();
  for (let waited = 0; waited < patienceMs; waited = Date.now() - start) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
    // Each call takes processor time from what is awaited, so the pauses grow where that takes seconds.
    await sleep(Math.min(Math.max(waited / 20, 25), 100));
  }
  throw new Error(`Waited ${patienceMs / 1000} seconds in vain: ${what}`);
}
