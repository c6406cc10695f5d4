import { execFileSync } from "node:child_process";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startService } from "#e2e/support/service.ts";
import { until } from "#e2e/support/wait.ts";
import { World } from "#e2e/support/world.ts";

/** One start, several processes that serve (docs/scaling.md). */

const heed = await startService({ HEED_PROCESSES: "2" });
const world = await World.build(heed);
const { event, maya, omar } = world;

/** The processes that serve, by their ids. */
function serving(): number[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  return lines
    .filter((line) => line.includes("serving-process.ts"))
    .map((line) => line.trim().split(/\s+/, 2).map(Number) as [number, number])
    .filter(([, parent]) => parent === heed.process.pid)
    .map(([pid]) => pid);
}

/** What the service answers on a connection of its own, which any of them may get; undefined where nobody answers. */
const isUp = () =>
  new Promise<number | undefined>((resolve) => {
    const request = http.get(new URL("/api/health", heed.url), { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("error", () => resolve(undefined));
  });

test("two processes serve on one port, and say once that they are ready", async () => {
  expect(serving()).toHaveLength(2);
  expect(heed.process.output().match(/Heed is ready/g)).toHaveLength(1);
  const { id } = await world.report(maya, event);
  expect((await world.as(omar).get(`/api/events/${event.id}/incidents/${id}`)).status).toBe(200);
});

test("one that is killed is replaced, while the other goes on", async () => {
  const [first = 0, second = 0] = serving();
  process.kill(first, "SIGKILL");
  await until("the killed one is gone", () => !serving().includes(first));
  expect(serving()).toContain(second);
  for (let count = 0; count < 5; count += 1) expect(await isUp()).toBe(200);
  await until("another has come", () => serving().length === 2);
  expect(serving()).not.toContain(first);
  expect(heed.process.output()).toMatch(/has ended \(SIGKILL\); another takes its place/);
  expect((await world.as(omar).get("/api/auth/session")).body.user.id).toBe(omar.id);
});

test("all of them end in good order with the one that started them", async () => {
  const ids = serving();
  expect(await heed.process.stop()).toBe(0);
  expect(serving()).toEqual([]);
  await sleep(100);
  for (const id of ids) expect(() => process.kill(id, 0)).toThrow("ESRCH");
  expect(await isUp()).toBeUndefined();
});
