import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createLaneForUser, type Lane } from "#lib/fair-queue.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { FileInspectionQueue, createWaitBudget } from "./inspection-queue.ts";
import { computeImageTimeLimitMs } from "./inspector.ts";

const [ADA, MAYA] = [createLaneForUser("ada"), createLaneForUser("maya")];
const [FLOOD, VENUE] = [createLaneForAddress("192.0.2.1"), createLaneForAddress("198.51.100.1")];

/** A queue whose jobs end on command, with the order in which they started. */
function createManualQueue(max?: ConstructorParameters<typeof FileInspectionQueue>[0]) {
  const queue = new FileInspectionQueue(max);
  const begun: string[] = [];
  let end = () => {};
  const add = (name: string, lane: Lane, { size = 1, waitBudget = createWaitBudget() } = {}) =>
    queue.run({ lane, size, waitBudget }, () => {
      begun.push(name);
      return new Promise<void>((resolve) => (end = resolve));
    });
  const endOne = async () => {
    // Jobs start in a later microtask.
    await sleep(0);
    end();
    await sleep(0);
  };
  return { add, begun, endOne };
}

const BUSY = { code: "SERVICE_UNAVAILABLE", headers: { "Retry-After": expect.stringMatching(/^[1-9]\d*$/) } };

describe("the queue of files that wait for their inspection", () => {
  it("serves senders in turn, people with an account at every second turn", async () => {
    const { add, begun, endOne } = createManualQueue();
    const all = [1, 2, 3, 4].map((number) => add(`flood ${number}`, FLOOD));
    all.push(add("venue", VENUE), add("maya 1", MAYA), add("maya 2", MAYA), add("ada", ADA));
    for (const _ of all) await endOne();
    await Promise.all(all);
    expect(begun.slice(0, 5)).toEqual(["flood 1", "maya 1", "flood 2", "ada", "venue"]);
    expect(begun.slice(5)).toEqual(["maya 2", "flood 3", "flood 4"]);
  });

  it("takes the small files of a sender first, and those of one request in turn with others", async () => {
    const { add, begun, endOne } = createManualQueue();
    const first = add("first", FLOOD);
    // A request has its next file wait only when the one before it has been inspected.
    const request = (async () => {
      for (const number of [1, 2]) await add(`album ${number}`, VENUE);
    })();
    const others = [add("large", VENUE, { size: 9 }), add("small", VENUE, { size: 0 }), add("photo", VENUE)];
    for (let count = 0; count < 6; count += 1) await endOne();
    await Promise.all([first, request, ...others]);
    expect(begun).toEqual(["first", "small", "album 1", "photo", "album 2", "large"]);
  });

  it("is busy where too many of one sender wait, and makes room for others where too many wait in all", async () => {
    const { add, begun, endOne } = createManualQueue({ perLane: 2, total: 3 });
    const all = [add("running", FLOOD), add("1", FLOOD), add("2", FLOOD)];
    await expect(add("3", FLOOD)).rejects.toMatchObject(BUSY);
    all.push(add("venue", VENUE));
    const displaced = expect(all[2]).rejects.toMatchObject(BUSY);
    all[2] = add("elsewhere", createLaneForAddress("203.0.113.1"));
    await displaced;
    for (const _ of all) await endOne();
    await Promise.all(all);
    expect(begun).toEqual(["running", "1", "venue", "elsewhere"]);
  });

  it("rejects a request whose files have waited too long in total, and continues", async () => {
    const { add, begun, endOne } = createManualQueue();
    const waitBudget = createWaitBudget();
    const first = add("first", ADA);
    const second = add("second", MAYA, { waitBudget });
    await sleep(30);
    await endOne();
    await endOne();
    await Promise.all([first, second]);
    expect(waitBudget.leftMs).toBeLessThanOrEqual(createWaitBudget().leftMs - 25);
    waitBudget.leftMs = 5;
    const other = add("other", ADA);
    await expect(add("third", MAYA, { waitBudget })).rejects.toMatchObject(BUSY);
    await endOne();
    await other;
    const last = add("last", ADA);
    await endOne();
    await last;
    expect(begun).toEqual(["first", "second", "other", "last"]);
  });

  it("continues after failed work", async () => {
    const queue = new FileInspectionQueue();
    const place = (lane: Lane) => ({ lane, size: 1, waitBudget: createWaitBudget() });
    const broken = queue.run(place(ADA), () => Promise.reject(new Error("broken")));
    const next = queue.run(place(MAYA), async () => "done");
    await expect(broken).rejects.toThrow("broken");
    expect(await next).toBe("done");
  });
});

it("a small image may take less time than a large one, and the largest that is decoded enough", () => {
  const [icon, photo, largest] = [64 * 64, 12_000_000, 64_000_000].map(computeImageTimeLimitMs);
  expect(icon).toBeLessThan(11_000);
  expect(photo).toBeLessThan(largest as number);
  expect(largest).toBeGreaterThan(25_000);
});
