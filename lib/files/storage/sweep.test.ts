import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), "heed-sweep-"));
  vi.stubEnv("HEED_DATA_DIR", dataDir);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(dataDir, { recursive: true, force: true });
});

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe("sweepTemporaryFolders", () => {
  it("removes what is old and what a dead process left, and leaves running uploads alone", async () => {
    const { makeTemporaryFolder } = await import("#lib/files/upload/temporary.ts");
    const { sweepTemporaryFolders } = await import("./sweep.ts");
    const [running, old] = [await makeTemporaryFolder(), await makeTemporaryFolder()];
    await writeFile(path.join(old, "upload"), "x");
    await utimes(old, ago(61), ago(61));
    const [machine, , start] = path.basename(running).split("-");
    const { pid: dead } = spawnSync(process.execPath, ["--version"]);
    for (const owner of [
      `${machine}-${dead}-${start}`,
      `${machine}-${process.pid}-earlier`,
      `otherhost-${dead}-${start}`,
    ]) {
      await mkdir(path.join(dataDir, "tmp", `${owner}-${randomUUID()}`));
    }
    expect(await sweepTemporaryFolders()).toBe(3);
    const left = (await readdir(path.join(dataDir, "tmp"))).sort();
    expect(left).toEqual([path.basename(running), expect.stringMatching(/^otherhost-/)].sort());
    await rm(path.join(dataDir, "tmp"), { recursive: true });
    expect(await sweepTemporaryFolders()).toBe(0);
  });
});

describe("sweepPartialFiles", () => {
  it("removes partial copies older than a day, and no others", async () => {
    const { createStorageKey, getFileStorage } = await import("./storage.ts");
    const { sweepPartialFiles } = await import("./sweep.ts");
    const key = createStorageKey();
    const source = path.join(dataDir, key);
    await writeFile(source, "x");
    await getFileStorage().put(key, source, "text/plain");
    const folder = path.join(dataDir, "files", key.slice(0, 2), key.slice(2, 4));
    const place = async (name: string, hours: number) => {
      await writeFile(path.join(folder, name), "x");
      await utimes(path.join(folder, name), ago(hours * 60), ago(hours * 60));
      return name;
    };
    await utimes(path.join(folder, key), ago(48 * 60), ago(48 * 60));
    await place(`${createStorageKey()}.part`, 25);
    const left = [await place(`${createStorageKey()}.part`, 23), await place("note.part", 25), key];
    expect(await sweepPartialFiles()).toBe(1);
    expect((await readdir(folder)).toSorted()).toEqual(left.toSorted());
    await rm(path.join(dataDir, "files"), { recursive: true });
  });
});

describe("findOrphanedFiles", () => {
  it("lists the files older than an hour that no row knows, and removes none", async () => {
    const { createStorageKey, getFileStorage } = await import("./storage.ts");
    const { findOrphanedFiles } = await import("./sweep.ts");
    const store = async (age: number) => {
      const key = createStorageKey();
      const file = path.join(dataDir, key);
      await writeFile(file, "x");
      await getFileStorage().put(key, file, "text/plain");
      const place = path.join(dataDir, "files", key.slice(0, 2), key.slice(2, 4), key);
      await utimes(place, ago(age), ago(age));
      return key;
    };
    const [known, orphan, young] = [await store(90), await store(90), await store(30)];
    const requestedKeys: string[][] = [];
    const rows = async (keys: string[]) => {
      requestedKeys.push(keys.toSorted());
      return new Set([known]);
    };
    expect(await findOrphanedFiles(rows)).toEqual({ orphans: [orphan], referenced: 1 });
    expect(requestedKeys).toEqual([[known, orphan, young].toSorted()]);
    const left: string[] = [];
    for await (const entry of getFileStorage().list()) left.push(entry.key);
    expect(left.toSorted()).toEqual([known, orphan, young].toSorted());
  });
});
