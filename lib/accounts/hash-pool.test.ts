import { afterEach, describe, expect, it, vi } from "vitest";
import { runPasswordHashingTask } from "./hash-pool.ts";
import { createLaneForUser } from "#lib/fair-queue.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import type { HashingTask } from "./hash-worker.ts";

const [CROWD, SOMEWHERE] = [createLaneForAddress("192.0.2.1"), createLaneForAddress("198.51.100.1")];
const BUSY = { code: "SERVICE_UNAVAILABLE", headers: { "Retry-After": "3" } };

/** The maximum number of workers, each busy until released. */
const MAX_WORKERS = 4;

function occupyWorkers(): () => Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const all = Array.from({ length: MAX_WORKERS }, (_, n) =>
    runPasswordHashingTask(createLaneForUser(`at work ${n}`), async () => {
      await promise;
      return TASK;
    }),
  );
  return () => {
    resolve();
    return Promise.all(all);
  };
}

const TASK: HashingTask = { kind: "hash", password: "seven small lanterns", cost: 4 };

afterEach(() => vi.useRealTimers());

describe("passwords that wait", () => {
  it("don't delay one from another address, and are rejected when one address has too many", async () => {
    const release = occupyWorkers();
    const begun: string[] = [];
    const begin = (name: string) => async () => {
      begun.push(name);
      return TASK;
    };
    const waiting = Array.from({ length: 60 }, () => runPasswordHashingTask(CROWD, begin("crowd")));
    await expect(runPasswordHashingTask(CROWD, begin("too many"))).rejects.toMatchObject(BUSY);
    const other = runPasswordHashingTask(SOMEWHERE, begin("elsewhere"));
    const known = runPasswordHashingTask(createLaneForUser("somebody"), begin("signed in"));
    await release();
    await Promise.all([...waiting, other, known]);
    expect(begun).toHaveLength(62);
    expect(begun).not.toContain("too many");
    expect(begun.indexOf("elsewhere")).toBeLessThan(MAX_WORKERS + 4);
    expect(begun.indexOf("signed in")).toBeLessThan(MAX_WORKERS + 4);
  });

  it("are rejected when the wait is too long, without a look-up", async () => {
    const release = occupyWorkers();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let begun = false;
    const late = expect(
      runPasswordHashingTask(SOMEWHERE, async () => {
        begun = true;
        return TASK;
      }),
    ).rejects.toMatchObject(BUSY);
    vi.advanceTimersByTime(300_000);
    await late;
    vi.useRealTimers();
    await release();
    expect(begun).toBe(false);
    expect(await runPasswordHashingTask(SOMEWHERE, async () => TASK)).toMatch(/^\$2b\$04\$/);
  });

  it("continue after a failed one", async () => {
    const failing = runPasswordHashingTask(SOMEWHERE, () =>
      Promise.reject(new Error("the database is away")),
    );
    await expect(failing).rejects.toThrow("the database is away");
    const impossible: HashingTask = { ...TASK, cost: 99 };
    await expect(runPasswordHashingTask(SOMEWHERE, async () => impossible)).rejects.toThrow(
      "password hashing failed",
    );
    expect(await runPasswordHashingTask(SOMEWHERE, async () => TASK)).toMatch(/^\$2b\$04\$/);
  });
});
