import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDrillFolder, removeAbandonedDrillFolders } from "./drill-folder.ts";

let folder: string;
const before = process.env.TMPDIR;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-drills-"));
  process.env.TMPDIR = folder;
});
afterAll(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder like one of a drill. */
function createFolder(name: string, files: Record<string, string>): string {
  const at = path.join(folder, name);
  fs.mkdirSync(at);
  for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(at, file), text);
  return at;
}

const findEndedPid = () => String(spawnSync(process.execPath, ["-e", ""]).pid);

test("folders of killed drills are removed with a database that lies elsewhere, and those of running ones stay", async () => {
  const running = createDrillFolder();
  const database = createFolder("database", { PG_VERSION: "18" });
  createFolder("heed-restore-killed", { owner: findEndedPid(), "postgres-place": database });
  createFolder("heed-restore-gone", { owner: findEndedPid(), "postgres-place": path.join(folder, "gone") });
  const old = createFolder("heed-restore-old", {});
  fs.utimesSync(old, 0, 0);
  createFolder("heed-restore-new", {});
  createFolder("other", { owner: findEndedPid() });
  await removeAbandonedDrillFolders();
  expect(fs.readdirSync(folder).toSorted()).toEqual(
    ["heed-restore-new", path.basename(running), "other"].toSorted(),
  );
});

test.runIf(process.getuid?.() === 0)("folders of other users stay", async () => {
  const foreign = createFolder("heed-restore-foreign", { owner: findEndedPid() });
  fs.chownSync(foreign, 65534, 65534);
  await removeAbandonedDrillFolders();
  expect(fs.existsSync(foreign)).toBe(true);
});
