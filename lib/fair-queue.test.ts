import { describe, expect, it } from "vitest";
import { FairQueue } from "./fair-queue.ts";

const queueOf = (max = { perLane: 10, total: 100 }) => new FairQueue<string>(max);
const rest = (queue: FairQueue<string>) => Array.from({ length: queue.size }, () => queue.next());

describe("a fair queue", () => {
  it("serves a short lane next, however many wait in a long one", () => {
    const queue = queueOf();
    for (const job of ["a1", "a2", "a3", "a4"]) queue.add("a", job);
    queue.next();
    queue.add("b", "b1");
    queue.add("c", "c1");
    expect(rest(queue)).toEqual(["a2", "b1", "c1", "a3", "a4"]);
    expect(queue.next()).toBeUndefined();
  });

  it("doesn't move a lane to the front when it returns", () => {
    const queue = queueOf();
    queue.add("a", "a1");
    queue.add("b", "b1");
    expect(queue.next()).toBe("a1");
    queue.add("a", "a2");
    expect(rest(queue)).toEqual(["b1", "a2"]);
  });

  it("limits the jobs of one lane", () => {
    const queue = queueOf({ perLane: 2, total: 100 });
    expect([queue.add("a", "a1"), queue.add("a", "a2"), queue.add("a", "a3")]).toEqual([
      undefined,
      undefined,
      "a3",
    ]);
    expect(queue.add("b", "b1")).toBeUndefined();
    expect(queue.size).toBe(3);
  });

  it("drops the last job of the longest lane for a new one when it is full", () => {
    const queue = queueOf({ perLane: 10, total: 4 });
    for (const job of ["a1", "a2", "a3"]) queue.add("a", job);
    queue.add("b", "b1");
    expect(queue.add("c", "c1")).toBe("a3");
    expect(queue.add("d", "d1")).toBe("a2");
    expect(queue.add("e", "e1")).toBe("e1");
    expect(queue.add("a", "a4")).toBe("a4");
    expect(rest(queue)).toEqual(["a1", "b1", "c1", "d1"]);
  });

  it("serves light jobs of a lane before heavy ones, and gives up the heaviest", () => {
    const queue = queueOf({ perLane: 10, total: 3 });
    for (const [job, weight] of [
      ["heavy", 9],
      ["light", 1],
      ["next", 1],
    ] as const)
      queue.add("a", job, weight);
    expect(queue.add("b", "b1", 5)).toBe("heavy");
    expect(rest(queue)).toEqual(["light", "b1", "next"]);
  });

  it("forgets a job that gave up, and an empty lane with it", () => {
    const queue = queueOf();
    queue.add("a", "a1");
    queue.add("b", "b1");
    expect([queue.remove("a", "a1"), queue.remove("a", "a1"), queue.remove("c", "c1")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(rest(queue)).toEqual(["b1"]);
  });
});
