import { expect } from "vitest";
import type { Reply } from "./client.ts";

/** Sends `count` requests concurrently, all of them before the first response arrives. */
export const runConcurrently = <T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

/** Counts equal responses: `{ "200": 1, "409 ALREADY_MEMBER": 9 }`. */
export function countOutcomes(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const reply of replies) {
    const name = summarizeResponse(reply).join(" ");
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Returns status and code of a response; only the status of a success. */
export const summarizeResponse = ({ status, body }: Reply): unknown[] =>
  body?.code ? [status, body.code] : [status];

/** Expects a refusal with this status and code, such as "404 NOT_FOUND". */
export const expectRefusal = (reply: Reply, outcome: string, message = reply.text): void =>
  expect(summarizeResponse(reply).join(" "), message).toBe(outcome);

/** An id that no record has. */
export const UNKNOWN_ID = "11111111-1111-4111-8111-111111111111";
