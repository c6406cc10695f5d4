import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FairQueue, type QueuePlace } from "./fair-queue.ts";

/** A queue whose jobs end on command, with the names of those that began and of those that were refused. */
function createManualQueue({ perLane = 10, total = 100, running = { total: 1, perLane: 1 } } = {}) {
  const createBusyError = () => new Error("busy");
  const queue = new FairQueue({ running, waiting: { perLane, total }, createBusyError });
  const [begun, refused, ends] = [[] as string[], [] as string[], [] as (() => void)[]];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  /** The first letter names the lane, which is known for a capital. */
  const add = (name: string, place: Omit<QueuePlace, "lane"> = {}) => {
    const lane = { name: name.charAt(0), known: /^[A-Z]/.test(name) };
    void queue.run({ ...place, lane }, work(name)).catch(() => refused.push(name));
  };
  const endOne = async () => {
    // Jobs start in a later microtask.
    await sleep(0);
    ends.shift()?.();
    await sleep(0);
  };
  const endAll = async () => {
    do await endOne();
    while (ends.length > 0);
    return begun;
  };
  return { queue, add, begun, refused, endOne, endAll };
}

describe("a fair queue", () => {
  it("serves a short lane next, however many wait in a long one", async () => {
    const { add, endOne, endAll } = createManualQueue();
    for (const job of ["a1", "a2", "a3", "a4"]) add(job);
    await endOne();
    for (const job of ["b1", "c1"]) add(job);
    expect(await endAll()).toEqual(["a1", "a2", "a3", "b1", "c1", "a4"]);
  });

  it("gives known lanes every second turn", async () => {
    const { add, endAll } = createManualQueue();
    for (const job of ["f1", "f2", "f3", "f4", "v1", "M1", "M2", "A1"]) add(job);
    expect(await endAll()).toEqual(["f1", "M1", "f2", "A1", "v1", "M2", "f3", "f4"]);
  });

  it("doesn't move a lane to the front when it returns", async () => {
    const { add, endOne, endAll } = createManualQueue();
    for (const job of ["x1", "a1", "b1"]) add(job);
    await endOne();
    add("a2");
    expect(await endAll()).toEqual(["x1", "a1", "b1", "a2"]);
  });

  it("limits the jobs of one lane", async () => {
    const { add, refused, endAll } = createManualQueue({ perLane: 2 });
    for (const job of ["a0", "a1", "a2", "a3", "b1"]) add(job);
    expect(await endAll()).toEqual(["a0", "a1", "b1", "a2"]);
    expect(refused).toEqual(["a3"]);
  });

  it("refuses the last job of the longest lane for a new one when it is full", async () => {
    const { add, refused, endAll } = createManualQueue({ total: 4 });
    for (const job of ["x1", "a1", "a2", "a3", "b1", "c1", "d1", "e1", "a4"]) add(job);
    expect(await endAll()).toEqual(["x1", "a1", "b1", "c1", "d1"]);
    expect(refused).toEqual(["a3", "a2", "e1", "a4"]);
  });

  it("serves light jobs of a lane before heavy ones, and refuses the heaviest", async () => {
    const { add, refused, endAll } = createManualQueue({ total: 3 });
    add("x1");
    for (const [job, weight] of [
      ["a-heavy", 9],
      ["a-light", 1],
      ["a-next", 1],
      ["b1", 5],
    ] as const)
      add(job, { weight });
    expect(await endAll()).toEqual(["x1", "a-light", "b1", "a-next"]);
    expect(refused).toEqual(["a-heavy"]);
  });

  it("takes the jobs of a request that adds one after another in turn with others of its lane", async () => {
    const { queue, add, begun, endAll } = createManualQueue();
    add("x1");
    const lane = { name: "v", known: false };
    const request = (async () => {
      for (const album of ["album 1", "album 2"])
        await queue.run({ lane, weight: 1 }, async () => void begun.push(album));
    })();
    for (const [job, weight] of Object.entries({ "v-large": 9, "v-small": 0, "v-photo": 1 }))
      add(job, { weight });
    await endAll();
    await request;
    expect(begun).toEqual(["x1", "v-small", "album 1", "v-photo", "album 2", "v-large"]);
  });

  it("forgets a job that gave up, and an empty lane with it", async () => {
    const { add, refused, endAll } = createManualQueue();
    const [first, second] = [new AbortController(), new AbortController()];
    add("x1", { signal: first.signal });
    add("a1", { signal: second.signal });
    add("b1");
    for (const controller of [first, second]) controller.abort();
    expect(await endAll()).toEqual(["x1", "b1"]);
    expect(refused).toEqual(["a1"]);
  });

  it("refuses jobs that have waited too long in total, and continues", async () => {
    const { add, begun, refused, endOne, endAll } = createManualQueue();
    const waitBudget = { leftMs: 1000 };
    add("a1");
    add("b1", { waitBudget });
    await sleep(30);
    await endOne();
    await endOne();
    expect(begun).toEqual(["a1", "b1"]);
    expect(waitBudget.leftMs).toBeLessThanOrEqual(975);
    waitBudget.leftMs = 5;
    add("a2");
    add("b2", { waitBudget });
    await expect.poll(() => refused).toEqual(["b2"]);
    add("c1");
    expect(await endAll()).toEqual(["a1", "b1", "a2", "c1"]);
  });

  it("moves each lane by itself where only the jobs of one wait for each other", async () => {
    const running = { total: Infinity, perLane: 1 };
    const { add, begun, endOne, endAll } = createManualQueue({ running });
    for (const job of ["a1", "a2", "b1"]) add(job);
    expect(begun).toEqual(["a1", "b1"]);
    await endOne();
    expect(begun).toEqual(["a1", "b1", "a2"]);
    await endAll();
  });

  it("continues after a failed job", async () => {
    const { queue } = createManualQueue();
    const place = (name: string) => ({ lane: { name, known: false } });
    const broken = queue.run(place("a"), () => Promise.reject(new Error("broken")));
    const next = queue.run(place("b"), async () => "done");
    await expect(broken).rejects.toThrow("broken");
    expect(await next).toBe("done");
  });
});
