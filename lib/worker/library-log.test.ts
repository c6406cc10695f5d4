import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { log } from "#lib/observability/log.ts";

const traceSpy = vi.spyOn(console, "trace").mockImplementation(() => {});
vi.spyOn(console, "error").mockImplementation(() => {});
const { redirectJobLibraryConsole, jobLibraryLogger } = await import("./library-log.ts");
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

test("the library's console output becomes one line of the log; other output is unchanged", async () => {
  redirectJobLibraryConsole();
  redirectJobLibraryConsole();
  const folder = path.join(await mkdtemp(path.join(os.tmpdir(), "heed-library-")), "graphile-worker");
  await mkdir(folder);
  await writeFile(
    path.join(folder, "says.mjs"),
    "export const ends = (error) => console.trace(error);\nexport const retries = (error) => console.error(`failJobs: attempt 1/20 failed; Error: ${error}`, error);\n",
  );
  const library = await import(/* @vite-ignore */ pathToFileURL(path.join(folder, "says.mjs")).href);
  library.ends(connectionError);
  library.retries(connectionError);
  expect(warnSpy.mock.calls).toEqual([
    [{ source: "jobs", reason: "57P01" }, "a worker of the queue has ended"],
    [{ source: "jobs", reason: "57P01" }, "failJobs"],
  ]);
  expect(traceSpy).not.toHaveBeenCalled();
  console.trace("ours");
  expect(traceSpy.mock.calls).toEqual([["ours"]]);
  await rm(path.dirname(folder), { recursive: true });
});
