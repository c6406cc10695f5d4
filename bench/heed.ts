import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import type { Request } from "autocannon";
import type { RunningProcess } from "#e2e/support/process.ts";
import type { Side } from "./measures.ts";
import { ADMIN_EMAIL, PASSWORD, TEAM_EMAIL, type World } from "./seed.ts";
import type { Target } from "./target.ts";
import { COMMON_WORD } from "./text.ts";

/** Heed as a side of a comparison: a checkout's production build on databases that it has seeded itself. */

export type Checkout = { serverUrl: string; sides: Side[]; worlds: World[] };

type Cookies = { team: string; admin: string };

/** What a team does in a minute, mostly reading: each measure so often. */
const MIX =
  "session 6, list 8, across 8, detail 12, comments 6, search 1, analytics 1, inbox 2, incident 2, event 3, create 2";

/** Starts a checkout with one service for each number of reports. @param closers get what ends it */
export async function openCheckout(
  folder: string,
  sizes: readonly number[],
  closers: (() => unknown)[],
): Promise<Checkout> {
  const args = ["--disable-warning=ExperimentalWarning", path.join(import.meta.dirname, "target.ts"), folder];
  const child = spawn(process.execPath, [...args, ...sizes.map(String)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  closers.push(() => {
    child.stdin.end();
    return ended;
  });
  const line = once(readline.createInterface({ input: child.stdout }), "line");
  const [text] = await Promise.race([line, ended.then(() => [undefined])]);
  if (!text) throw new Error(`The databases of ${folder} could not be made.`);
  const { serverUrl, databases } = JSON.parse(text) as Target;
  const sides: Side[] = [];
  for (const { url, world } of databases) sides.push(await openSide(folder, { url, world }, closers));
  return { serverUrl, sides, worlds: databases.map(({ world }) => world) };
}

async function openSide(
  folder: string,
  { url: databaseUrl, world }: Target["databases"][number],
  closers: (() => unknown)[],
): Promise<Side> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-bench-"));
  const { startProcess } = (await import(
    path.join(folder, "e2e/support/process.ts")
  )) as typeof import("#e2e/support/process.ts");
  const settings = {
    DATABASE_URL: databaseUrl,
    HEED_DATA_DIR: dataDir,
    LOG_LEVEL: "error",
    RATE_LIMITS: "off",
  };
  const start = () => startProcess(settings, { heap: "product" });
  let service: RunningProcess = await start();
  closers.push(async () => {
    await service.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  });
  const cookies = {
    team: await signIn(service.url, TEAM_EMAIL),
    admin: await signIn(service.url, ADMIN_EMAIL),
  };
  const requests = buildRequests(world, cookies);
  for (const [at, count] of [5, 500].entries())
    await addNotes(service.url, requests.withNotes?.[at] ?? {}, count);
  return {
    title: path.basename(folder),
    get url() {
      return service.url;
    },
    get pid() {
      return service.pid;
    },
    databaseUrl,
    find: (measure) => requests[measure],
    restart: async () => {
      await service.stop();
      service = await start();
    },
  };
}

/** Signs in through the API. @returns the Cookie header @throws Error when sign-in is refused */
export async function signIn(url: string, email: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const cookie = response.headers.get("set-cookie")?.split(";")[0];
  if (!response.ok || !cookie) throw new Error(`Signing in as ${email} got status ${response.status}.`);
  return cookie;
}

/** Writes so many notes to an incident, over the API, which stays the same when tables change. */
async function addNotes(url: string, request: Request, count: number): Promise<void> {
  const headers = { ...(request.headers as Record<string, string>), "content-type": "application/json" };
  for (let n = 1; n <= count; n += 1) {
    const body = JSON.stringify({ body: `Talked to the **venue**, call ${n}.`, visibility: "internal" });
    const response = await fetch(`${url}${request.path}/comments`, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`A note got status ${response.status}: ${await response.text()}`);
  }
}

const SAMPLE_REPORT = JSON.stringify({
  title: "Somebody kept filming after being asked to stop",
  description: "During the break a person filmed our table with a phone. We asked twice to stop. ".repeat(8),
  location: "Main hall, left side",
  contactMethod: "email",
  severity: "medium",
});

/** Builds the requests of each measure. */
function buildRequests(world: World, { team, admin }: Cookies): Record<string, Request[]> {
  const get = (at: string, cookie = team): Request => ({ method: "GET", path: at, headers: { cookie } });
  const headers = { cookie: team, "content-type": "application/json" };
  const write = { method: "POST", headers } as const;
  const incidents = world.incidents.slice(2, 502);
  const apiOf = ({ id, eventId }: World["incidents"][number]) => `/api/events/${eventId}/incidents/${id}`;
  const pageOf = ({ id, eventId }: World["incidents"][number]) =>
    get(`/e/${world.events.find((event) => event.id === eventId)?.slug}/i/${id}`);
  const requests: Record<string, Request[]> = {
    session: [get("/api/auth/session")],
    list: world.events.map(({ id }) => get(`/api/events/${id}/incidents?limit=20`)),
    across: [get("/api/users/me/incidents?limit=20")],
    detail: incidents.map((one) => get(apiOf(one))),
    comments: incidents.map((one) => get(`${apiOf(one)}/comments`)),
    search: [get(`/api/users/me/incidents?limit=20&search=${COMMON_WORD}`)],
    analytics: [get(`/api/organizations/${world.organizationId}/reports/analytics?timeRange=all`, admin)],
    people: [get("/api/people?limit=20")],
    earlier: world.named.map((one) => get(`${apiOf(one)}/people`)),
    inbox: [get("/inbox")],
    incident: incidents.map(pageOf),
    // The first two get five and 500 notes.
    withNotes: world.incidents.slice(0, 2).map((one) => get(apiOf(one))),
    "entries-5": world.incidents.slice(0, 1).map(pageOf),
    "entries-500": world.incidents.slice(1, 2).map(pageOf),
    event: world.events.map(({ slug }) => ({ method: "GET", path: `/e/${slug}` })),
    create: world.events.map(({ id }) => ({
      ...write,
      path: `/api/events/${id}/incidents`,
      body: SAMPLE_REPORT,
    })),
    state: [buildStateRequest(world, headers)],
  };
  const mix = MIX.split(", ").flatMap((part) => {
    const [name = "", share] = part.split(" ");
    const some = requests[name] ?? [];
    return Array.from({ length: Number(share) }, (_, n) => some[n % some.length] ?? {});
  });
  return { ...requests, memory: mix };
}

/** Moves each incident from status to status; no two connections use the same incident at a time. */
function buildStateRequest({ incidents, teamId }: World, headers: Record<string, string>): Request {
  const moves = [
    { state: "acknowledged" },
    { state: "investigating", notes: "We look into it.", assignedToUserId: teamId },
    { state: "resolved", notes: "We spoke with everybody." },
    { state: "closed" },
  ].map((move) => JSON.stringify(move));
  let turn = 0;
  const next = (request: Request): Request => {
    const { id, eventId } = incidents[turn % incidents.length] ?? { id: "", eventId: "" };
    const body = moves[Math.floor(turn / incidents.length) % moves.length];
    turn += 1;
    return { ...request, path: `/api/events/${eventId}/incidents/${id}/state`, body };
  };
  return { ...next({ method: "PATCH", headers }), setupRequest: next };
}
