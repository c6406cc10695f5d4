import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { markBuildInUse, listServingProcesses } from "./build-in-use.ts";

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "heed-serving-"));
});
afterEach(() => fs.rmSync(root, { recursive: true }));

test("a process counts as serving from writing its marker file until removing it", () => {
  expect(listServingProcesses(root)).toEqual([]);
  const release = markBuildInUse(root);
  expect(listServingProcesses(root)).toEqual([process.pid]);
  release();
  expect(listServingProcesses(root)).toEqual([]);
});

test("a killed process doesn't count as serving, and its marker file is removed", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const folder = path.join(root, ".next/cache/heed-serving");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, String(pid)), `${pid} 1`);
  expect(listServingProcesses(root)).toEqual([]);
  expect(fs.readdirSync(folder)).toEqual([]);
});
