import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { startProcess } from "#e2e/support/process.ts";
import { cloneDatabase, openTestServer } from "#e2e/support/database.ts";
import { signIn } from "./heed.ts";
import { seed, SIZES, TEAM_EMAIL, type Size } from "./seed.ts";

/**
 * Measures whether the time of a response reveals that an incident is hidden from the caller (docs/decisions/058). Two
 * people have an organization and an event each, with the same reports; one of the events has additional reports that
 * are hidden from its person. Both make the same calls, in turn. `node bench/hidden-times.ts [calls]` prints the
 * medians and the p-value of a two-sided Mann-Whitney test for each endpoint; a small p-value means that the times
 * differ by more than chance.
 */

const CALLS = Number(process.argv[2] ?? 1000);
const WARM_UP_CALLS = 100;
const REPORTS = 200;
const HIDDEN_REPORTS = 5;

type Place = { cookie: string; paths: Record<string, string> };

/** Makes a person who is Admin of the only event of an organization, and its reports. */
async function buildPlace(client: pg.Client, url: string, hiddenCount: number): Promise<Place> {
  const name = `place-${hiddenCount}`;
  const email = `${name}@bench.example`;
  const { rows } = await client.query<{ organizationId: string; eventId: string; userId: string }>(
    `with person as (insert into users (email, name, password_hash, email_verified_at)
       select $1, 'Xenia Moreau', password_hash, now() from users where email = $2 returning id),
     org as (insert into organizations (name, slug) values ($3, $3) returning id),
     member as (insert into organization_members (organization_id, user_id, role) select org.id, person.id, 'org_admin' from org, person),
     event as (insert into events (organization_id, name, slug) select id, $3, $3 from org returning id),
     role as (insert into event_roles (event_id, user_id, role_name) select event.id, person.id, 'Admin' from event, person)
     select org.id as "organizationId", event.id as "eventId", person.id as "userId" from org, event, person`,
    [email, TEAM_EMAIL, name],
  );
  const [{ organizationId, eventId, userId } = { organizationId: "", eventId: "", userId: "" }] = rows;
  const insertIncidents = (count: number) =>
    client.query<{ id: string }>(
      `insert into incidents (event_id, title, description, created_at)
       select $1, 'Report number ' || n, 'What happened.', now() - n * interval '1 hour' from generate_series(1, $2::int) n returning id`,
      [eventId, count],
    );
  await insertIncidents(REPORTS);
  const hidden = (await insertIncidents(hiddenCount)).rows.map(({ id }) => id);
  await client.query(
    `insert into incident_readers (incident_id, user_id, access, source) select id, $2, 'none', 'reporter' from unnest($1::uuid[]) as h(id)`,
    [hidden, userId],
  );
  const paths = {
    "event list": `/api/events/${eventId}/incidents`,
    "incident by id": `/api/events/${eventId}/incidents/${hidden[0] ?? randomUUID()}`,
    notifications: "/api/users/me/notifications",
    analytics: `/api/organizations/${organizationId}/reports/analytics`,
  };
  return { cookie: await signIn(url, email), paths };
}

async function timeCall(url: string, { cookie, paths }: Place, endpoint: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(url + paths[endpoint], { headers: { cookie } });
  await response.arrayBuffer();
  const duration = performance.now() - start;
  if (!response.ok && response.status !== 404)
    throw new Error(`${endpoint} responded with ${response.status}`);
  return duration;
}

/** Calls an endpoint in both places in turn, in a random order, so that a busy machine slows both alike. */
async function measure(url: string, places: readonly [Place, Place], endpoint: string, calls: number) {
  const times: [number[], number[]] = [[], []];
  for (let call = 0; call < calls; call += 1)
    for (const side of Math.random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const))
      times[side].push(await timeCall(url, places[side], endpoint));
  return times;
}

/** The two-sided p-value of the Mann-Whitney test, by the normal approximation. */
function testMannWhitney(left: readonly number[], right: readonly number[]): number {
  const all = [left, right].flatMap((times, side) => times.map((time) => ({ time, side })));
  all.sort((a, b) => a.time - b.time);
  const rankSum = all.reduce((sum, { side }, at) => sum + (side === 0 ? at + 1 : 0), 0);
  const [n, m] = [left.length, right.length];
  const statistic = rankSum - (n * (n + 1)) / 2;
  const z = (statistic - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  return 2 * (1 - computeNormalDistribution(Math.abs(z)));
}

/** The cumulative normal distribution by Abramowitz and Stegun, 26.2.17, right to seven digits. */
function computeNormalDistribution(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * z);
  const factors = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_53];
  const polynomial = factors.reduce((sum, factor) => sum * t + factor, 0) * t;
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}

const findMedian = (times: readonly number[]): string =>
  (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0).toFixed(3);

async function compareTimes(url: string, places: readonly [Place, Place]): Promise<void> {
  for (const endpoint of Object.keys(places[0].paths)) {
    await measure(url, places, endpoint, WARM_UP_CALLS);
    const [withHidden, without] = await measure(url, places, endpoint, CALLS);
    const p = testMannWhitney(withHidden, without).toFixed(3);
    const medians = `${findMedian(withHidden)} ms with hidden reports, ${findMedian(without)} ms without`;
    console.log(`${endpoint}: ${medians}, p = ${p}`);
  }
}

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-hidden-times-"));
const server = await openTestServer();
try {
  const { url: databaseUrl } = await cloneDatabase(server.url);
  await seed(databaseUrl, SIZES[0] as Size);
  const service = await startProcess(
    { DATABASE_URL: databaseUrl, HEED_DATA_DIR: dataDir, LOG_LEVEL: "error", RATE_LIMITS: "off" },
    { heap: "product" },
  );
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const places = [
    await buildPlace(client, service.url, HIDDEN_REPORTS),
    await buildPlace(client, service.url, 0),
  ] as const;
  await client.query("vacuum analyze");
  await client.end();
  await compareTimes(service.url, places);
  await service.stop();
} finally {
  await server.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
}
