import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks again and again until there is an answer other than undefined, null or false.
 * @throws Error naming what was waited for, after 20 seconds
 */
export async function until<T>(what: string, ask: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(25)) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
  }
  throw new Error(`Waited 20 seconds in vain: ${what}`);
}
