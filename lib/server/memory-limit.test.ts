import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const MODULE = path.join(import.meta.dirname, "memory-limit.ts");
const PROBE = `
import v8 from "node:v8";
import { restartProcessWithMemoryLimit } from ${JSON.stringify(MODULE)};
restartProcessWithMemoryLimit();
console.log(JSON.stringify({
  heapMb: Math.round(v8.getHeapStatistics().heap_size_limit / 1024 / 1024),
  arenas: process.env.MALLOC_ARENA_MAX,
  args: process.argv.slice(2),
  parent: process.ppid,
}));`;

/** What the limit leaves out: young objects. */
const YOUNG_MB = 3 * 4;

let folder: string;
let probe: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-memory-limit-"));
  probe = path.join(folder, "probe.ts");
  fs.writeFileSync(probe, PROBE);
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

function runProbe(env: Record<string, string>, options: string[] = [], extraArgs: string[] = []) {
  const { NODE_OPTIONS: _, MALLOC_ARENA_MAX: __, HEAP_MB: ___, ...rest } = process.env;
  const args = ["--disable-warning=ExperimentalWarning", ...options, probe, ...extraArgs];
  const output = execFileSync(process.execPath, args, { env: { ...rest, ...env } as NodeJS.ProcessEnv });
  return JSON.parse(output.toString());
}

describe("the memory of the service", () => {
  test.each([
    [{}, 320],
    [{ HEAP_MB: "512" }, 512],
  ])("is limited with %j to a heap of %i MB and two allocator arenas", (env, megabytes) => {
    expect(runProbe(env)).toMatchObject({ heapMb: megabytes + YOUNG_MB, arenas: "2" });
  });

  test("is limited in the same process, with the same arguments", () => {
    expect(runProbe({}, [], ["--without-keys"])).toMatchObject({
      args: ["--without-keys"],
      parent: process.pid,
    });
  });

  test("keeps the limits that an operator has set for Node and the allocator", () => {
    const option = "--max-old-space-size=200";
    const unlimited = runProbe({ HEAP_MB: "much" }, [option]).heapMb;
    expect(runProbe({ HEAP_MB: "512" }, [option]).heapMb).toBe(unlimited);
    expect(runProbe({ NODE_OPTIONS: option }).heapMb).toBe(unlimited);
    expect(runProbe({ MALLOC_ARENA_MAX: "1" }).arenas).toBe("1");
  });

  test("is left as it is when HEAP_MB can't be read, which the start reports", () => {
    expect(runProbe({ HEAP_MB: "much" }).arenas).toBeUndefined();
  });
});
