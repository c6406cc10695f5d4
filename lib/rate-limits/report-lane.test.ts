import { expect, test } from "vitest";
import { waitForUnidentifiedReportTurn } from "./report-lane.ts";

/** How long reports without an account wait that are more than their address may send at once. */

const STEP_MS = 30;

const settle = (reports: Promise<void>[]) =>
  Promise.all(
    reports.map((report) => report.then(() => "sent").catch((error: { code: string }) => error.code)),
  );

test("two of an address wait, one after the other, and more are refused; other addresses don't notice", async () => {
  const finished: string[] = [];
  const send = (address: string) =>
    waitForUnidentifiedReportTurn(address, { stepMs: STEP_MS }).then(() => void finished.push(address));
  const startedAt = performance.now();
  const results = await settle(["a", "a", "a", "b"].map(send));
  expect(results).toEqual(["sent", "sent", "RATE_LIMITED", "sent"]);
  expect(finished).toEqual(["a", "b", "a"]);
  expect(performance.now() - startedAt).toBeGreaterThan(1.8 * STEP_MS);
  expect(await settle([send("a")]), "once they have had their turn").toEqual(["sent"]);
});

test("a client that is gone makes room for others, who still wait", async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const wait = (signal?: AbortSignal) => waitForUnidentifiedReportTurn("gone", { signal, stepMs: STEP_MS });
  const gone = settle([wait(first.signal), wait(second.signal)]);
  second.abort();
  first.abort();
  expect(await gone).toEqual(["RATE_LIMITED", "RATE_LIMITED"]);
  const startedAt = performance.now();
  expect(await settle([wait(), wait()])).toEqual(["sent", "sent"]);
  expect(performance.now() - startedAt).toBeGreaterThan(1.8 * STEP_MS);
});

test("a report that is sent twice takes one place, which it keeps until both requests are gone", async () => {
  const startedAt = performance.now();
  const [first, second] = [new AbortController(), new AbortController()];
  const wait = (report: string, signal?: AbortSignal) =>
    waitForUnidentifiedReportTurn("twice", { report, signal, stepMs: STEP_MS });
  const twice = settle([wait("one", first.signal), wait("one", second.signal)]);
  first.abort();
  const neighbor = settle([wait("other")]);
  expect(await settle([wait("third")])).toEqual(["RATE_LIMITED"]);
  expect(await twice).toEqual(["RATE_LIMITED", "sent"]);
  expect(await neighbor).toEqual(["sent"]);
  expect(performance.now() - startedAt).toBeGreaterThan(1.8 * STEP_MS);
});

test("a report that was left and is sent again waits for a whole step", async () => {
  const gone = new AbortController();
  const wait = (signal?: AbortSignal) =>
    waitForUnidentifiedReportTurn("again", { report: "one", signal, stepMs: STEP_MS });
  const left = settle([wait(gone.signal)]);
  gone.abort();
  expect(await left).toEqual(["RATE_LIMITED"]);
  const startedAt = performance.now();
  expect(await settle([wait()])).toEqual(["sent"]);
  expect(performance.now() - startedAt).toBeGreaterThan(0.9 * STEP_MS);
});
