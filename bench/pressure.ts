import { setTimeout as sleep } from "node:timers/promises";
import type { RunningProcess } from "#e2e/support/process.ts";
import { buildLoginRequest, encodeMultipart, requireSuccess, createPictures, signIn } from "./client.ts";
import { runLoad, type LoadResult } from "./load.ts";
import { measurePeakMb, readResidentMb } from "./process.ts";
import type { BenchContext } from "./rows.ts";
import { buildReporterEmail, TEAM_EMAIL } from "./seed.ts";

/** Effects of heavy requests on other requests and on the memory of the process. */

export type LoginLoadResult = { logins: number; seconds: number; idle: LoadResult; during: LoadResult };

/** Measures another person's session check while 20 people sign in at once, one request at a time. */
export async function measureConcurrentLogins(
  { url }: RunningProcess,
  { cookies }: BenchContext,
  seconds: number,
): Promise<LoginLoadResult> {
  const logins = 20;
  const requests = [{ path: "/api/auth/session", headers: { cookie: cookies.team } }];
  const poll = { url, connections: 1, requests, seconds };
  await runLoad({ ...poll, seconds: 1 });
  const idle = await runLoad(poll);
  const began = performance.now();
  const all = Promise.all(
    Array.from({ length: logins }, async (_, n) => {
      const response = await fetch(`${url}/api/auth/login`, buildLoginRequest(buildReporterEmail(n + 1)));
      await (await requireSuccess(response)).text();
    }),
  );
  const during = await runLoad({ ...poll, until: all });
  await all;
  return { logins, seconds: (performance.now() - began) / 1000, idle, during };
}

export type LoginQueueResult = {
  waiting: number;
  refused: number;
  right: { status: number; seconds: number };
};

/**
 * Measures a correct sign-in from one IP address while 150 sign-ins with unknown addresses wait, all from another. The
 * service trusts this machine's forwarded addresses.
 */
export async function measureLoginQueue({ url }: RunningProcess): Promise<LoginQueueResult> {
  const waiting = 150;
  const from = (address: string, email: string) => {
    const { headers, ...request } = buildLoginRequest(email);
    return fetch(`${url}/api/auth/login`, {
      ...request,
      headers: { ...headers, "x-forwarded-for": address },
    });
  };
  const queued = Array.from({ length: waiting }, (_, n) => from("192.0.2.1", `nobody-${n}@example.org`));
  await sleep(500);
  const began = performance.now();
  const { status } = await from("198.51.100.1", buildReporterEmail(1));
  const seconds = (performance.now() - began) / 1000;
  const statuses = await Promise.all(queued.map(async (response) => (await response).status));
  return { waiting, refused: statuses.filter((one) => one === 503).length, right: { status, seconds } };
}

export type HeavyRequestResult = { seconds: number; megabytes: number; idleMb: number; peakMb: number };
export type ExportResult = HeavyRequestResult & { rows: number; firstByteSeconds: number };

/** Uploads five files of 10 MiB in one report. */
export async function measureLargeUpload(
  service: RunningProcess,
  { world, cookies }: BenchContext,
): Promise<HeavyRequestResult> {
  const { body, type } = await encodeMultipart(createPictures(5, 10 * 1024 * 1024));
  return measureHeavyRequest(service, async () => {
    const response = await fetch(`${service.url}/api/events/${world.events[0]?.id}/incidents`, {
      method: "POST",
      headers: { cookie: cookies.team, "content-type": type },
      body: body as BodyInit,
    });
    await (await requireSuccess(response)).text();
    return { bytes: body.length };
  });
}

/** Reads the CSV of every report of the organization as fast as it arrives. */
export async function measureFullExport(
  service: RunningProcess,
  { world, cookies }: BenchContext,
): Promise<ExportResult> {
  return measureHeavyRequest(service, async () => {
    const began = performance.now();
    const query = "format=csv&timeRange=all";
    const response = await fetch(
      `${service.url}/api/organizations/${world.organizationId}/reports/export?${query}`,
      {
        headers: { cookie: cookies.orgAdmin },
      },
    );
    await requireSuccess(response);
    const seen = { bytes: 0, lines: 0, first: 0 };
    for await (const chunk of response.body ?? []) {
      seen.first ||= performance.now();
      seen.bytes += chunk.length;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) seen.lines += 1;
    }
    // No seeded field holds a line break, so all lines except the header are rows.
    return { bytes: seen.bytes, rows: seen.lines - 1, firstByteSeconds: (seen.first - began) / 1000 };
  });
}

export type StreamLoadResult = {
  streams: number;
  idleMb: number;
  openMb: number;
  /** After each round of changes. */
  roundsMb: number[];
  heard: number;
};

const STREAM_SESSIONS = 40;
const STREAMS_PER_SESSION = 5;
/** Enough that V8 collects its old space meanwhile: before that, memory only grows. */
const CHANGE_ROUNDS = 14;
const CHANGES_PER_ROUND = 100;

/**
 * Opens many live streams at once, as one team member on many devices, and measures memory before, with all of them
 * open, and after each of several rounds of changes that every stream receives. Growth in the first round is the work
 * itself; growth in later rounds would be a leak.
 */
export async function measureManyStreams(
  service: RunningProcess,
  { world, cookies }: BenchContext,
): Promise<StreamLoadResult> {
  const sessions: string[] = [];
  for (let n = 0; n < STREAM_SESSIONS; n += 1) sessions.push(await signIn(service.url, TEAM_EMAIL));
  const idleMb = readResidentMb(service.pid);
  const end = new AbortController();
  const seen = { heard: 0 };
  const cookiesOfAll = sessions.flatMap((cookie) =>
    Array.from({ length: STREAMS_PER_SESSION }, () => cookie),
  );
  await Promise.all(
    cookiesOfAll.map((cookie) => followStream(service.url, { cookie, seen, signal: end.signal })),
  );
  await sleep(2000);
  const openMb = readResidentMb(service.pid);
  const roundsMb: number[] = [];
  for (let round = 0; round < CHANGE_ROUNDS; round += 1) {
    await runChangeRound(service.url, { world, cookies }, round);
    await sleep(3000);
    roundsMb.push(readResidentMb(service.pid));
  }
  end.abort();
  return { streams: cookiesOfAll.length, idleMb, openMb, roundsMb, heard: seen.heard };
}

/** One round of changes to reports that haven't been changed before. */
async function runChangeRound(url: string, { world, cookies }: BenchContext, round: number): Promise<void> {
  const chosen = world.incidents.slice(round * CHANGES_PER_ROUND, (round + 1) * CHANGES_PER_ROUND);
  for (const { id, eventId } of chosen) {
    const response = await fetch(`${url}/api/events/${eventId}/incidents/${id}/state`, {
      method: "PATCH",
      headers: { cookie: cookies.team, "content-type": "application/json" },
      body: JSON.stringify({ state: "acknowledged" }),
    });
    await (await requireSuccess(response)).text();
  }
}

type StreamFollower = { cookie: string; seen: { heard: number }; signal: AbortSignal };

/** Opens a stream and reads it to its end. */
async function followStream(url: string, { cookie, seen, signal }: StreamFollower): Promise<void> {
  const response = await requireSuccess(
    await fetch(`${url}/api/users/me/stream`, { headers: { cookie }, signal }),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const read = async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      seen.heard += part.value.split("event: change").length - 1;
  };
  void read().catch(() => {});
}

/** Warms up a process: its code is compiled, its pool is open, and the garbage from that has been collected. */
export async function warmUpService(
  { url }: RunningProcess,
  { world, cookies }: BenchContext,
): Promise<void> {
  const path = `/api/events/${world.events[0]?.id}/incidents?limit=20`;
  await runLoad({ url, connections: 8, requests: [{ path, headers: { cookie: cookies.team } }], seconds: 2 });
  await sleep(2000);
}

async function measureHeavyRequest<Figures extends { bytes: number }>(
  { pid }: RunningProcess,
  work: () => Promise<Figures>,
): Promise<Omit<Figures, "bytes"> & HeavyRequestResult> {
  const idleMb = readResidentMb(pid);
  const began = performance.now();
  const { peak, result } = await measurePeakMb(pid, work);
  const { bytes, ...figures } = result;
  return {
    ...figures,
    seconds: (performance.now() - began) / 1000,
    megabytes: bytes / 1e6,
    idleMb,
    peakMb: peak,
  };
}
