import { afterEach, expect, test, vi } from "vitest";
import { log } from "#lib/observability/log.ts";
import { jobLibraryLogger } from "./library-log.ts";

const warnSpy = vi.spyOn(log, "warn").mockImplementation(() => {});
afterEach(() => vi.clearAllMocks());

const connectionError = Object.assign(new Error("terminating 10.0.0.7 for maya@example.org"), {
  code: "57P01",
});

test("an error of the library is logged as a code without its message", () => {
  jobLibraryLogger.error(`Failed to complete jobs '1', '2':\n${connectionError}`, {
    fatalError: connectionError,
    jobs: [{ payload: {} }],
  });
  expect(warnSpy.mock.calls).toEqual([
    [{ source: "jobs", reason: "57P01" }, "Failed to complete jobs '1', '2'"],
  ]);
});

test("a failed job is not logged here, since the worker logs one line a minute", () => {
  const message = "Failed task 7 (mail.reset, 3.00ms, attempt 1 of 25) with error 'mail.reset: ETIMEDOUT'";
  jobLibraryLogger.error(message, {
    failure: true,
    job: { payload: {} },
    error: new Error("mail.reset: ETIMEDOUT"),
  });
  expect(warnSpy.mock.calls).toEqual([]);
});
