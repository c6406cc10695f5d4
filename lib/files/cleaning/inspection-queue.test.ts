import { expect, it } from "vitest";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { createFileInspectionQueue, createWaitBudget } from "./inspection-queue.ts";
import { computeImageTimeLimitMs } from "./inspector.ts";

const BUSY = { code: "SERVICE_UNAVAILABLE", headers: { "Retry-After": expect.stringMatching(/^[1-9]\d*$/) } };

it("files of one sender wait for their inspection in turn with others, twenty of them at most", async () => {
  const queue = createFileInspectionQueue();
  const begun: string[] = [];
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const add = (name: string, address: string, waitBudget = createWaitBudget()) =>
    queue.run({ lane: createLaneForAddress(address), weight: 1, waitBudget }, () => {
      begun.push(name);
      return promise;
    });
  const flood = Array.from({ length: 21 }, (_, number) => add(`flood ${number}`, "192.0.2.1"));
  await expect(add("too many", "192.0.2.1")).rejects.toMatchObject(BUSY);
  const venue = ["venue 1", "venue 2"].map((name) => add(name, "198.51.100.1"));
  await expect(add("late", "203.0.113.1", { leftMs: 5 })).rejects.toMatchObject(BUSY);
  end();
  await Promise.all([...flood, ...venue]);
  expect(begun.slice(0, 5)).toEqual(["flood 0", "flood 1", "venue 1", "flood 2", "venue 2"]);
});

it("a small image may take less time than a large one, and the largest that is decoded enough", () => {
  const [icon, photo, largest] = [64 * 64, 12_000_000, 64_000_000].map(computeImageTimeLimitMs);
  expect(icon).toBeLessThan(11_000);
  expect(photo).toBeLessThan(largest as number);
  expect(largest).toBeGreaterThan(25_000);
});
