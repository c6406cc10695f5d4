import net from "node:net";
import { expect, test } from "vitest";
import { findFreePort } from "#e2e/support/process.ts";
import { LOCK_INCIDENT_SQL, runWhileLocked, waitForBlockedStatements } from "#e2e/support/row-lock.ts";
import { startService } from "#e2e/support/service.ts";
import {
  countStarts,
  expectNothingSaid,
  listUnexpected,
  RESTART_MS,
  THROW_ON_SIGNAL,
} from "#e2e/support/thrown-errors.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld } from "#e2e/support/world.ts";

/**
 * Exceptions and rejections that nothing catches, in the only process (docs/operating.md, "When something breaks");
 * `processes.test.ts` has those of several.
 */

const heed = await startService({
  ...THROW_ON_SIGNAL,
  HEED_PROCESSES: "1",
  // It restarts, and takes its port again: one that the system gives to no outgoing connection meanwhile.
  PORT: String(await findFreePort()),
});
const world = await TestWorld.build(heed);
const { ada, event, maya, omar } = world;

test("an unhandled rejection writes one line without its message, and the service continues", async () => {
  process.kill(heed.process.pid, "SIGWINCH");
  await waitUntil("the line", () => listUnexpected(heed).length === 1);
  expect(listUnexpected(heed)[0]).toMatchObject({
    level: "error",
    msg: "a rejection that nobody waited for",
    err: { name: "RangeError" },
  });
  expect(listUnexpected(heed)[0]?.err?.stack[0]).toContain("throw-on-signal.ts");
  expect((await world.as(maya).get("/api/auth/session")).status).toBe(200);
  expect(countStarts(heed)).toBe(1);
  expectNothingSaid(heed);
});

test("a broken connection doesn't end the process", async () => {
  process.kill(heed.process.pid, "SIGURG");
  await waitUntil("the line", () => listUnexpected(heed).length === 2);
  expect(listUnexpected(heed)[1]).toMatchObject({ level: "error", err: { code: "ECONNRESET" } });
  for (let count = 0; count < 200; count += 1) await breakOff("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
  for (let count = 0; count < 200; count += 1) await breakOff("no request\r\n\r\n");
  expect((await world.as(maya).get("/api/auth/session")).status).toBe(200);
  expect(listUnexpected(heed)).toHaveLength(2);
  expect(countStarts(heed)).toBe(1);
});

/** Sends this, and resets the connection while the response is written. */
const breakOff = (bytes: string) =>
  new Promise<void>((resolve) => {
    const socket = net.connect(heed.port, "127.0.0.1", () => {
      socket.write(bytes);
      setImmediate(() => socket.resetAndDestroy());
    });
    socket.on("error", () => {}).on("close", () => resolve());
  });

test("an exception writes one line, requests in flight finish, and the process restarts", async () => {
  const report = await world.report(maya, event);
  const path = `/api/events/${event.id}/incidents/${report.id}`;
  const moved = await runWhileLocked(
    LOCK_INCIDENT_SQL,
    [report.id],
    () => world.as(ada).patch(`${path}/title`, { title: "What was under way" }),
    async () => {
      await waitForBlockedStatements();
      process.kill(heed.process.pid, "SIGUSR2");
      await waitUntil("the line", () => listUnexpected(heed).length === 3);
    },
  );
  expect(moved.status, moved.text).toBe(200);
  await waitUntil("the second start", () => countStarts(heed) === 2, RESTART_MS);
  const [, , line, ...more] = listUnexpected(heed);
  expect(more).toEqual([]);
  expect(line).toMatchObject({
    level: "fatal",
    msg: "an exception that nobody caught",
    err: { name: "TypeError", code: "ERR_MADE_UP" },
  });
  expect(line?.err?.stack[0]).toContain("throw-on-signal.ts");
  expectNothingSaid(heed);
  expect((await world.as(omar).get(path)).body.incident.title).toBe("What was under way");
  await world.report(maya, event);
});

test("a restarted process still stops in order", async () => {
  expect(await heed.process.stop()).toBe(0);
});
