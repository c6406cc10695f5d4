import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { tryAcquireFileLock } from "./process-lock.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-lock-"));
const file = path.join(folder, "run", "service.lock");
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test("a lock is taken once, and again when its process is gone or the file is empty", () => {
  const release = tryAcquireFileLock(file);
  expect(tryAcquireFileLock(file)).toBeUndefined();
  release?.();
  for (const stale of ["4194305 7", ""]) {
    fs.writeFileSync(file, stale);
    tryAcquireFileLock(file)?.();
    expect(fs.readdirSync(path.dirname(file))).toEqual([]);
  }
});

test("where the lock can't be read, an error says so at once", () => {
  fs.mkdirSync(file);
  expect(() => tryAcquireFileLock(file)).toThrow("EISDIR");
  expect(fs.readdirSync(path.dirname(file))).toEqual(["service.lock"]);
});
