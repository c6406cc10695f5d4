import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  FileInspectionQueue,
  createWaitBudget,
  type PersonAwaitingFileInspection,
} from "./inspection-queue.ts";

const from = (
  personId: string,
  eventId: string,
  leftMs = createWaitBudget().leftMs,
): PersonAwaitingFileInspection => ({
  personId,
  eventId,
  waitBudget: { leftMs },
});

/** A queue whose jobs end on command, with the order in which they started. */
function createManualQueue(limits?: ConstructorParameters<typeof FileInspectionQueue>[0]) {
  const queue = new FileInspectionQueue(limits);
  const begun: string[] = [];
  let end = () => {};
  const add = (name: string, uploader: PersonAwaitingFileInspection) =>
    queue.run(uploader, () => {
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
  it("serves events in turn, and within an event its people", async () => {
    const { add, begun, endOne } = createManualQueue();
    const all = [
      ["flood 1", from("flood", "fair")],
      ["flood 2", from("flood", "fair")],
      ["flood 3", from("flood", "fair")],
      ["flood 4", from("flood", "fair")],
      ["maya", from("maya", "fair")],
      ["nora", from("nora", "fair")],
      ["ines", from("ines", "other")],
    ].map(([name, uploader]) => add(name as string, uploader as PersonAwaitingFileInspection));
    for (const _ of all) await endOne();
    await Promise.all(all);
    expect(begun).toEqual(["flood 1", "flood 2", "ines", "maya", "nora", "flood 3", "flood 4"]);
  });

  it.each([
    [
      "of one person, at whichever events",
      { person: 2, event: 9, total: 9 },
      from("flood", "c"),
      from("maya", "a"),
    ],
    ["of one event", { person: 9, event: 2, total: 9 }, from("nora", "a"), from("nora", "d")],
    ["in all", { person: 9, event: 9, total: 2 }, from("nora", "d"), null],
  ])("is busy where too many wait %s", async (_, limits, refused, admitted) => {
    const { add, endOne } = createManualQueue(limits);
    const sameEvent = limits.event === 2 ? "a" : "b";
    const all = [
      add("1", from("ada", "z")),
      add("2", from("flood", "a")),
      add("3", from("flood", sameEvent)),
    ];
    await expect(add("4", refused)).rejects.toMatchObject(BUSY);
    if (admitted) all.push(add("5", admitted));
    for (const _ of all) await endOne();
    await Promise.all(all);
  });

  it("rejects a request whose files have waited too long in total, and continues", async () => {
    const { add, begun, endOne } = createManualQueue();
    const uploader = from("maya", "fair");
    const first = add("first", from("ada", "fair"));
    const second = add("second", uploader);
    await sleep(30);
    await endOne();
    await endOne();
    await Promise.all([first, second]);
    expect(uploader.waitBudget.leftMs).toBeLessThanOrEqual(createWaitBudget().leftMs - 25);
    uploader.waitBudget.leftMs = 5;
    const other = add("other", from("ada", "fair"));
    await expect(add("third", uploader)).rejects.toMatchObject(BUSY);
    await endOne();
    await other;
    const last = add("last", from("ada", "fair"));
    await endOne();
    await last;
    expect(begun).toEqual(["first", "second", "other", "last"]);
  });

  it("continues after failed work", async () => {
    const queue = new FileInspectionQueue();
    const broken = queue.run(from("ada", "fair"), () => Promise.reject(new Error("broken")));
    const next = queue.run(from("maya", "fair"), async () => "done");
    await expect(broken).rejects.toThrow("broken");
    expect(await next).toBe("done");
  });
});
