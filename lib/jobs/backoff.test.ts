import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ConsecutiveFailureBackoff } from "./backoff.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const backoffAfterFailures = (times: number): ConsecutiveFailureBackoff => {
  const backoff = new ConsecutiveFailureBackoff();
  for (let count = 0; count < times; count += 1) backoff.fail();
  return backoff;
};

test("two failures in a row don't pause the queue", () => {
  expect(backoffAfterFailures(2).remainingMs()).toBe(0);
});

test.each([
  [0, 5],
  [1, 10],
  [3, 40],
  [4, 60],
  [2000, 60],
])("after %i pauses, each of which a failure followed, the pause is %i seconds", (pauses, seconds) => {
  const backoff = backoffAfterFailures(3);
  for (let count = 0; count < pauses; count += 1) {
    vi.advanceTimersByTime(backoff.remainingMs());
    backoff.fail();
  }
  expect(backoff.remainingMs()).toBe(seconds * 1000);
});

test("attempts that were under way when the pause began don't lengthen it when they fail", () => {
  const backoff = backoffAfterFailures(3);
  vi.advanceTimersByTime(1000);
  expect(backoff.fail()).toBe(4);
  expect(backoff.remainingMs()).toBe(4000);
});

test("a clock that is set back doesn't lengthen the pause", () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  const backoff = backoffAfterFailures(3);
  vi.setSystemTime(Date.now() - 24 * 3600_000);
  expect(backoff.remainingMs()).toBe(5000);
  vi.advanceTimersByTime(5000);
  expect(backoff.remainingMs()).toBe(0);
});

test("a success ends the run of failures", () => {
  const backoff = backoffAfterFailures(5);
  backoff.succeed();
  expect(backoff.remainingMs()).toBe(0);
  backoff.fail();
  expect(backoff.remainingMs()).toBe(0);
});

test("after a success, the next pause is a short one again", () => {
  const backoff = backoffAfterFailures(3);
  vi.advanceTimersByTime(backoff.remainingMs());
  backoff.fail();
  backoff.succeed();
  for (let count = 0; count < 3; count += 1) backoff.fail();
  expect(backoff.remainingMs()).toBe(5000);
});

test("repeated refusals of one recipient don't pause the queue", () => {
  const backoff = new ConsecutiveFailureBackoff();
  for (let count = 0; count < 50; count += 1) expect(backoff.fail("maya@example.org")).toBe(1);
  expect([backoff.remainingMs(), backoff.isServerFailing]).toEqual([0, false]);
});

test("a third refused recipient in a row pauses the queue, and a success resets the count", () => {
  const backoff = new ConsecutiveFailureBackoff();
  expect(["a", "b", "a", "c"].map((recipient) => backoff.fail(recipient))).toEqual([1, 2, 2, 3]);
  expect([backoff.remainingMs(), backoff.isServerFailing]).toEqual([5000, true]);
  backoff.succeed();
  expect([backoff.fail("a"), backoff.isServerFailing]).toEqual([1, false]);
});

test("a worker that stops doesn't wait for the end of the pause", async () => {
  await expect(backoffAfterFailures(9).wait(AbortSignal.abort())).rejects.toThrow("aborted");
});
