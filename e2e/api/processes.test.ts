import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { expect, test } from "vitest";
import { startService } from "#e2e/support/service.ts";
import {
  chooseThrowingServiceSettings,
  countStarts,
  expectNoContentPrinted,
  listUncaughtErrorLines,
  RESTART_TIMEOUT_MS,
} from "#e2e/support/thrown-errors.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** One start, several processes that serve (docs/scaling.md). */

const heed = await startService({
  ...(await chooseThrowingServiceSettings()),
  HEED_PROCESSES: "2",
  SHUTDOWN_DELAY_SECONDS: "8",
});
const world = await TestWorld.build(heed);
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

/**
 * What the service responds on a connection of its own, which any of them may get; undefined where it is closed without a
 * response.
 */
const isUp = (agent: http.Agent | false = false) => statusOf("/api/health", agent);

const statusOf = (path: string, agent: http.Agent | false = false) =>
  new Promise<number | undefined>((resolve, reject) => {
    const at = new URL(path, heed.url);
    const request = http.get(at, { agent, timeout: 10_000 }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    request.on("timeout", () => reject(new Error("nobody answers, and nobody closes the connection")));
    request.on("error", () => resolve(undefined));
  });

/** Agents with one connection each, which stays open. */
const createAgents = (count: number): http.Agent[] =>
  Array.from({ length: count }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }));

/** The port at our end of an agent's connection. */
const portOf = ({ sockets, freeSockets }: http.Agent) =>
  [sockets, freeSockets].flatMap((one) => Object.values(one).flat())[0]?.localPort ?? 0;

/** How many of the agents' connections each process holds; others' come and go meanwhile. */
function countConnections(agents: http.Agent[]): number[] {
  const ports = new Set(agents.map((agent) => toHex(portOf(agent))));
  const inodes = ["/proc/net/tcp", "/proc/net/tcp6"]
    .flatMap((file) => fs.readFileSync(file, "utf8").split("\n"))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = "", remote = ""]) => isPort(local, heed.port) && ports.has(remote.slice(-4)))
    .map((columns) => columns[9] ?? "");
  return serving().map((pid) => countSockets(pid, inodes));
}

const toHex = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
const isPort = (address: string, port: number) => address.endsWith(`:${toHex(port)}`);

function countSockets(pid: number, inodes: string[]): number {
  const held = fs
    .readdirSync(`/proc/${pid}/fd`)
    .map((name) => fs.readlinkSync(`/proc/${pid}/fd/${name}`))
    .map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]);
  return held.filter((inode) => inode && inodes.includes(inode)).length;
}

test("two processes serve on one port, and say once that they are ready", async () => {
  expect(serving()).toHaveLength(2);
  expect(heed.process.output().match(/Heed is ready/g)).toHaveLength(1);
  const { id } = await world.report(maya, event);
  expect((await world.as(omar).get(`/api/events/${event.id}/incidents/${id}`)).status).toBe(200);
});

test("connections are distributed in turn", async () => {
  const agents = createAgents(16);
  for (const agent of agents) expect(await isUp(agent)).toBe(200);
  const counts = countConnections(agents);
  for (const agent of agents) agent.destroy();
  expect(counts).toEqual([8, 8]);
});

test("of simultaneous connections, a blocked process gets one, and the other process the rest", async () => {
  const agents = createAgents(16);
  const [halted = 0] = serving();
  process.kill(halted, "SIGSTOP");
  let answered = 0;
  // The next one goes to whoever has taken its last one.
  const statuses = Promise.all(agents.map((agent) => isUp(agent).finally(() => (answered += 1))));
  await waitUntil("all but one are answered", () => answered === 15).finally(() =>
    process.kill(halted, "SIGCONT"),
  );
  expect(new Set(await statuses)).toEqual(new Set([200]));
  const counts = countConnections(agents);
  for (const agent of agents) agent.destroy();
  expect(counts).toEqual(serving().map((pid) => (pid === halted ? 1 : 15)));
});

test("an exception in a serving process ends it, and another replaces it", async () => {
  const [first = 0, second = 0] = serving();
  process.kill(first, "SIGUSR2");
  await waitUntil("its end", () => !serving().includes(first));
  expect(await statusOf("/api/health/ready")).toBe(200);
  await waitUntil("another", () => serving().length === 2);
  expect(serving()).toContain(second);
  expect(listUncaughtErrorLines(heed).map(({ level }) => level)).toEqual(["fatal"]);
  expect(countStarts(heed)).toBe(1);
  expectNoContentPrinted(heed);
});

test("an exception in the primary process restarts all of them", async () => {
  const before = serving();
  process.kill(heed.process.pid, "SIGUSR2");
  await waitUntil("the second start", () => countStarts(heed) === 2, RESTART_TIMEOUT_MS);
  expect(serving()).toHaveLength(2);
  for (const pid of serving()) expect(before).not.toContain(pid);
  expect(await statusOf("/api/health/ready")).toBe(200);
  expect(listUncaughtErrorLines(heed)).toHaveLength(2);
  expectNoContentPrinted(heed);
});

test("a killed process is replaced, while the other one serves all requests", async () => {
  const [first = 0, second = 0] = serving();
  process.kill(first, "SIGKILL");
  // Before it is known to be gone, one connection may go to it: that one is closed.
  const meanwhile = await Promise.all(Array.from({ length: 20 }, () => isUp()));
  expect(meanwhile.filter((status) => status !== 200).length).toBeLessThanOrEqual(1);
  await waitUntil("the killed one is gone", () => !serving().includes(first));
  expect(serving()).toContain(second);
  for (let count = 0; count < 5; count += 1) expect(await isUp()).toBe(200);
  await waitUntil("another has come", () => serving().length === 2);
  expect(serving()).not.toContain(first);
  expect(heed.process.output()).toMatch(/has ended \(SIGKILL\); another takes its place/);
  expect((await world.as(omar).get("/api/auth/session")).body.user.id).toBe(omar.id);
});

test("all processes stop in order with the primary, and serve until load balancers notice", async () => {
  const ids = serving();
  const stopped = heed.process.stop();
  // The signal reaches one after the other, and connections go to them in turn.
  const isNotReady = async () => (await statusOf("/api/health/ready")) === 503;
  await waitUntil("readiness of both to turn", async () => (await isNotReady()) && (await isNotReady()));
  // At once, so that all have come before the eight seconds are over.
  const askAll = async () => {
    expect(await isUp()).toBe(503);
    expect(await statusOf("/api/health/live")).toBe(200);
    expect((await world.as(omar).get("/api/auth/session")).body.user.id).toBe(omar.id);
  };
  await Promise.all(Array.from({ length: 4 }, askAll));
  expect(await stopped).toBe(0);
  expect(serving()).toEqual([]);
  await waitUntil("the end of both", () => ids.every(isGone));
  expect(await isUp()).toBeUndefined();
});

function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

test("every line of the log after the first start is JSON", () => {
  const [, lines = ""] = /Heed is ready on \S+\n([^]*)/.exec(heed.process.output()) ?? [];
  expect(lines).toContain("Stopping (SIGTERM).");
  for (const line of lines.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
});
