import { execFileSync } from "node:child_process";
import net from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { sendRawRequest } from "#e2e/support/client.ts";
import { findFreePort } from "#e2e/support/process.ts";
import { LOCK_INCIDENT_SQL, runWhileLocked, waitForBlockedStatements } from "#e2e/support/row-lock.ts";
import { startService, type Service } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** Exceptions and rejections that nothing catches, in real processes (docs/operating.md, "When something breaks"). */

const SAID = "Maya Castillo hit me, maya@example.org";
const support = path.resolve(import.meta.dirname, "../support/throw-on-signal.ts");
const SETTINGS = { NODE_OPTIONS: `--import=${pathToFileURL(support)}`, HEED_TEST_SAID: SAID };

type Line = { level: string; msg: string; err?: { name: string; code?: string; stack: string[] } };

/**
 * Starts a service that a test lets restart, which takes its port again: one that the system gives to no outgoing
 * connection meanwhile.
 */
const startOnOwnPort = async (processes: string): Promise<Service> =>
  startService({ ...SETTINGS, HEED_PROCESSES: processes, PORT: String(await findFreePort()) });

/** A process that restarts waits until it has run for ten seconds, and then loads everything again. */
const RESTART_MS = 120_000;

/** Lines of the log that tell of what nobody expected. */
const unexpected = (service: Service): Line[] =>
  service.process
    .output()
    .split("\n")
    .filter((line) => /that nobody (caught|waited for|listened to)/.test(line))
    .map((line) => JSON.parse(line));

/** What the processes printed beside the log, a stack that Next or Node prints included, holds nothing either. */
function expectNothingSaid(service: Service): void {
  const output = service.process.output();
  expect(output).not.toMatch(/Maya|maya@|secret\.ts/);
  expect(output).not.toMatch(/uncaughtException|unhandledRejection|⨯/);
}

const readies = (service: Service) => service.process.output().split("Heed is ready").length - 1;

const isUp = async (service: Service): Promise<boolean> =>
  sendRawRequest(service.url, {
    method: "GET",
    path: "/api/health/ready",
    headers: { connection: "close" },
  }).then(
    ({ status }) => status === 200,
    () => false,
  );

describe("in the only process", async () => {
  const heed = await startOnOwnPort("1");
  const world = await TestWorld.build(heed);
  const { ada, event, maya, omar } = world;

  test("an unhandled rejection writes one line without its message, and the service continues", async () => {
    process.kill(heed.process.pid, "SIGWINCH");
    await waitUntil("the line", () => unexpected(heed).length === 1);
    expect(unexpected(heed)[0]).toMatchObject({
      level: "error",
      msg: "a rejection that nobody waited for",
      err: { name: "RangeError" },
    });
    expect(unexpected(heed)[0]?.err?.stack[0]).toContain("throw-on-signal.ts");
    expect((await world.as(maya).get("/api/auth/session")).status).toBe(200);
    expect(readies(heed)).toBe(1);
    expectNothingSaid(heed);
  });

  test("a broken connection doesn't end the process", async () => {
    process.kill(heed.process.pid, "SIGURG");
    await waitUntil("the line", () => unexpected(heed).length === 2);
    expect(unexpected(heed)[1]).toMatchObject({ level: "error", err: { code: "ECONNRESET" } });
    for (let count = 0; count < 200; count += 1) await breakOff("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
    for (let count = 0; count < 200; count += 1) await breakOff("no request\r\n\r\n");
    expect((await world.as(maya).get("/api/auth/session")).status).toBe(200);
    expect(unexpected(heed)).toHaveLength(2);
    expect(readies(heed)).toBe(1);
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
        await waitUntil("the line", () => unexpected(heed).length === 3);
      },
    );
    expect(moved.status, moved.text).toBe(200);
    await waitUntil("the second start", () => readies(heed) === 2, RESTART_MS);
    const [, , line, ...more] = unexpected(heed);
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
});

describe("where several processes serve", async () => {
  const heed = await startOnOwnPort("2");

  const serving = (): number[] =>
    execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes("serving-process.ts"))
      .map((line) => line.trim().split(/\s+/, 2).map(Number) as [number, number])
      .filter(([, parent]) => parent === heed.process.pid)
      .map(([pid]) => pid);

  test("an exception in a serving process ends it, and another replaces it", async () => {
    const [first = 0, second = 0] = serving();
    process.kill(first, "SIGUSR2");
    await waitUntil("its end", () => !serving().includes(first));
    expect(await isUp(heed)).toBe(true);
    await waitUntil("another", () => serving().length === 2);
    expect(serving()).toContain(second);
    expect(unexpected(heed).map(({ level }) => level)).toEqual(["fatal"]);
    expect(readies(heed)).toBe(1);
    expectNothingSaid(heed);
  });

  test("an exception in the primary process restarts all of them", async () => {
    const before = serving();
    process.kill(heed.process.pid, "SIGUSR2");
    await waitUntil("the second start", () => readies(heed) === 2, RESTART_MS);
    expect(serving()).toHaveLength(2);
    for (const pid of serving()) expect(before).not.toContain(pid);
    expect(await isUp(heed)).toBe(true);
    expect(unexpected(heed)).toHaveLength(2);
    expectNothingSaid(heed);
  });
});
