import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { markBuildInUse, listBuildServingProcessIds } from "./build-in-use.ts";

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "heed-serving-"));
});
afterEach(() => fs.rmSync(root, { recursive: true }));

test("a process counts as serving from writing its marker file until removing it", () => {
  expect(listBuildServingProcessIds(root)).toEqual([]);
  const release = markBuildInUse(root);
  expect(listBuildServingProcessIds(root)).toEqual([process.pid]);
  release();
  expect(listBuildServingProcessIds(root)).toEqual([]);
});

test("a killed process doesn't count as serving, and its marker file is removed", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const folder = path.join(root, ".next/cache/heed-serving");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, String(pid)), `${pid} 1`);
  expect(listBuildServingProcessIds(root)).toEqual([]);
  expect(fs.readdirSync(folder)).toEqual([]);
});
