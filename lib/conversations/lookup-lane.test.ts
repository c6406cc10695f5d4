import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { env } from "#lib/env.ts";
import {
  countLeadingZeroBits,
  createProofOfWorkChallenge,
  runThrottledReceiptLookup,
  type ProofOfWorkSolution,
} from "./lookup-lane.ts";

/** Who waits how long to look up a receipt. */

/** The delays that the lanes have asked for, in milliseconds; each passes in a tenth of its time. */
const delays: number[] = [];
vi.mock("node:timers/promises", async (importOriginal) => {
  const timers = await importOriginal<typeof import("node:timers/promises")>();
  return {
    ...timers,
    setTimeout: (ms: number) => {
      delays.push(ms);
      return timers.setTimeout(ms / 10);
    },
  };
});
beforeEach(() => void (delays.length = 0));

const { rateLimits } = env();
beforeAll(() => void (env().rateLimits = true));
afterAll(() => void (env().rateLimits = rateLimits));

const findNothing = async () => null;
const findIt = async () => "a mailbox";
const tryReceipt = (
  address: string,
  find: () => Promise<string | null> = findIt,
  proof?: ProofOfWorkSolution,
) => runThrottledReceiptLookup({ address, proof }, find).catch((error: { code: string }) => error.code);

function solve(): ProofOfWorkSolution {
  const { challenge, bits } = createProofOfWorkChallenge();
  for (let attempt = 0; ; attempt += 1) {
    const digest = createHash("sha256").update(`${challenge}${attempt}`).digest();
    if (countLeadingZeroBits(digest) >= bits) return { challenge, solution: `${attempt}` };
  }
}

test("two look-ups of one address may wait, and one of another address as well", async () => {
  const one = ["192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"];
  const sameNetwork = ["2001:db8::1", "2001:db8::2", "2001:db8::3"];
  const results = await Promise.all(
    [...one, ...sameNetwork, "198.51.100.7"].map((address) => tryReceipt(address)),
  );
  const SERVED = [await findIt(), await findIt(), "SERVICE_UNAVAILABLE"];
  expect(results).toEqual([...SERVED, ...SERVED, await findIt()]);
  expect(await tryReceipt("192.0.2.1"), "once they have had their turn").toBe(await findIt());
});

test("wrong receipts with a proof don't slow down look-ups without one", async () => {
  const proofs = Array.from({ length: 60 }, solve);
  await Promise.all(proofs.map((proof) => tryReceipt("192.0.2.9", findNothing, proof)));
  expect(createProofOfWorkChallenge().bits, "the next puzzle is harder").toBeGreaterThan(12);
  delays.length = 0;
  await tryReceipt("198.51.100.7");
  expect(delays, "its turn, and the floor of every look-up").toEqual([250, 250]);
});

test("wrong receipts from a few addresses leave no other address without a place", async () => {
  // Until a look-up takes a second and more.
  const addresses = Array.from({ length: 32 }, (_, number) => `203.0.113.${number}`);
  await Promise.all(addresses.map((address) => tryReceipt(address, findNothing)));
  delays.length = 0;
  await tryReceipt("198.51.100.8");
  expect(delays).toEqual([1000, 250]);
  const waiting = Array.from({ length: 60 }, (_, number) =>
    tryReceipt(`192.0.2.${number % 30}`, findNothing),
  );
  expect(await tryReceipt("198.51.100.7")).toBe(await findIt());
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
});
