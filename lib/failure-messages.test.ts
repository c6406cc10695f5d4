import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { describeCommandFailure } from "./failure-messages.ts";
import { tryAcquireFileLock } from "#lib/process-lock.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-failure-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const failureOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

it("explains file system errors and what to do", () => {
  fs.writeFileSync(path.join(folder, "data"), "");
  const lock = path.join(folder, "data", "run", "service.lock");
  const message = describeCommandFailure(
    failureOf(() => tryAcquireFileLock(lock)),
    path.join(folder, "data"),
  );
  expect(message).toMatch(/can't be used: a file is where a folder should be\.\nSet HEED_DATA_DIR/);
});

it.each([
  ["ENOSPC", /^There is no room left on the disk of \/data\.\nMake room/],
  ["EROFS", /^\/data is on a disk that is read-only\.\nMount it/],
  ["EACCES", /^This user may not use \/data\.\nRun Heed as/],
  ["EPERM", /^This user may not use \/data\.\nRun Heed as/],
  ["EMFILE", /^There are too many open files\.\nRaise/],
  ["EIO", /^\/data can't be read or written.*\nCheck the disk/],
])("has words for %s that name the data folder where the error names nothing", (code, expected) => {
  const error = Object.assign(new Error(`${code}: bare, write`), { code, syscall: "write" });
  expect(describeCommandFailure(error, "/data")).toMatch(expected);
});

it("leaves readable messages unchanged", () => {
  expect(describeCommandFailure(new Error("The database is away."), "/data")).toBe("The database is away.");
});

it("names the variable where PostgreSQL refuses", () => {
  const refusal = new pg.DatabaseError("permission denied for schema public", 0, "error");
  refusal.code = "42501";
  expect(describeCommandFailure(refusal, "/data")).toBe(
    "The database refuses: permission denied for schema public (42501). Check DATABASE_URL.",
  );
});
