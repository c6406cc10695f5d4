import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { listInsecureDataFolderPermissions } from "./permissions.ts";

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-permissions-"));
afterAll(() => fs.rmSync(dataDir, { recursive: true, force: true }));

const inside = (name: string) => path.join(dataDir, name);
beforeEach(() => {
  fs.mkdirSync(inside("secrets"), { recursive: true });
  fs.writeFileSync(inside("secrets/data.key"), "key");
  for (const [name, mode] of [
    ["secrets/data.key", 0o600],
    ["secrets", 0o700],
    [".", 0o700],
  ] as const)
    fs.chmodSync(inside(name), mode);
});

it("doesn't report owner-only folders and a folder that its group may traverse", () => {
  expect(listInsecureDataFolderPermissions(dataDir)).toEqual([]);
  fs.chmodSync(dataDir, 0o710);
  expect(listInsecureDataFolderPermissions(dataDir)).toEqual([]);
});

it.each([
  ["secrets/data.key", 0o640, "600"],
  ["secrets/data.key", 0o604, "600"],
  ["secrets", 0o750, "700"],
  [".", 0o755, "700"],
])("names %s with other permissions, and what to do", (name, mode, wanted) => {
  const place = path.join(dataDir, name);
  fs.chmodSync(place, mode);
  expect(listInsecureDataFolderPermissions(dataDir)).toEqual([
    `Other users of this machine may use ${place} (its permissions are ${mode.toString(8)}). Run: chmod ${wanted} ${place}`,
  ]);
});
