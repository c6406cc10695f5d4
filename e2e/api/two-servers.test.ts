import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { Client } from "#e2e/support/client.ts";
import { EventStream } from "#e2e/support/event-stream.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { ObjectStorage } from "#e2e/support/object-storage.ts";
import { readMails } from "#e2e/support/outbox.ts";
import { findFreePort } from "#e2e/support/process.ts";
import { RoundRobinProxy } from "#e2e/support/round-robin.ts";
import { startService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";
import { env } from "#lib/env.ts";
import { loadSessionCookieKeys } from "#lib/crypto/secrets.ts";

/**
 * Two servers behind a proxy that sends every request to the other one than the last: one database, one object storage,
 * the same keys, a data folder each, as on two machines. They start at the same moment, on an empty database.
 */

const storage = await ObjectStorage.start();
const proxy = await RoundRobinProxy.open(2);
afterAll(async () => {
  proxy.close();
  await storage.close();
});

await emptyDatabase();
const settings = {
  SESSION_KEYS: loadSessionCookieKeys(env()).join(","),
  EVIDENCE_KEYS: randomBytes(32).toString("base64"),
  BASE_URL: proxy.url,
  S3_URL: storage.url(),
  TRUSTED_PROXIES: "127.0.0.1",
  RATE_LOOKUP_ADDRESS_PER_MINUTE: "10",
  RATE_REPORT_USER_PER_HOUR: "100",
  RATE_CRITICAL_REPORT_USER_PER_HOUR: "4",
};
// What a service listens on is in its settings where BASE_URL says something else.
const start = async () => startService({ ...settings, PORT: String(await findFreePort()) });
const servers = await Promise.all([start(), start()]);
const [first, second] = servers;
proxy.targets = servers.map(({ url }) => url);
const world = await TestWorld.build(first);
const { ada, event, maya, omar } = world;

const through = (url: string, cookie?: string) => new Client(url, { countRows: async () => ({}) }, cookie);

async function emptyDatabase(): Promise<void> {
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  await client.connect();
  await client.query("drop schema public, graphile_worker cascade; create schema public");
  await client.end();
}

test("both start on the empty database, and each migration is applied once", async () => {
  const [applied] = await first.sql<{ n: number; names: number; finished: number }>(
    "select count(*)::int as n, count(distinct migration_name)::int as names, count(finished_at)::int as finished from _prisma_migrations",
  );
  const folders = fs.readdirSync("prisma/migrations").filter((name) => /^\d+_/.test(name)).length;
  expect(applied).toEqual({ n: folders, names: folders, finished: folders });
});

describe("a session", () => {
  test("that begins on one is known to the other, and each request may go to another", async () => {
    const client = through(proxy.url);
    const { status } = await client.post("/api/auth/login", { email: omar.email, password: PASSWORD });
    expect(status).toBe(200);
    const before = [...proxy.sent];
    for (let count = 0; count < 6; count += 1)
      expect((await client.get("/api/auth/session")).body.user.id).toBe(omar.id);
    expect(proxy.sent.map((sent, at) => sent - (before[at] ?? 0))).toEqual([3, 3]);
  });

  test("that ends on one has ended on the other, which had opened it before", async () => {
    const { cookie } = await world.device(maya);
    const [here, there] = servers.map(({ url }) => through(url, cookie));
    for (const client of [here, there])
      expect((await client?.get("/api/auth/session"))?.body.authenticated).not.toBe(false);
    expect((await here?.post("/api/auth/logout"))?.status).toBe(200);
    expect((await there?.get("/api/auth/session"))?.body).toEqual({ authenticated: false });
    expect((await there?.get("/api/users/me/incidents"))?.status).toBe(401);
  });

  test("of somebody who lost a role on one has lost it on the other at once", async () => {
    const person = await world.person("Short Helper", { events: [[event, "Responder"]] });
    const there = through(second.url, world.as(person).cookie);
    expect((await there.get(`/api/events/${event.id}/incidents`)).status).toBe(200);
    await world
      .as(ada)
      .delete(`/api/events/slug/${event.slug}/users/${person.id}`)
      .then(({ status }) => expect(status).toBe(200));
    expect((await there.get(`/api/events/${event.id}/incidents`)).status).toBe(403);
  });
});

let addresses = 0;
/** An address that nobody has come from yet, not even in a first try of the same test. */
const somewhere = () => ({ "x-forwarded-for": `198.51.100.${(addresses += 1)}` });

test("a rate limit counts what came to both", async () => {
  const headers = somewhere();
  const check = () => through(proxy.url).get("/api/auth/check-email?email=a@example.org", { headers });
  const statuses: number[] = [];
  for (let count = 0; count < 12; count += 1) statuses.push((await check()).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
});

test("reports of one person count on both", async () => {
  const person = await world.person("Reporting Twice", { events: [[event, "Reporter"]] });
  const client = through(proxy.url, world.as(person).cookie);
  const report = { title: "One of too many", description: "d", severity: "critical", anonymous: true };
  const statuses: number[] = [];
  for (let count = 0; count < 6; count += 1)
    statuses.push((await client.post(`/api/events/${event.id}/incidents`, report)).status);
  expect(statuses).toEqual([201, 201, 201, 201, 429, 429]);
});

test("failed sign-ins to one account count on both", async () => {
  const headers = somewhere();
  const person = await world.person("Guessed Twice");
  const [here, there] = servers.map(({ url }) => through(url));
  const guess = (client: typeof here) =>
    client?.post("/api/auth/login", { email: person.email, password: "wrong" }, { headers });
  const count = async () =>
    (await first.sql("select failures from sign_in_delays")).map((row) => row.failures);
  for (const client of [here, there]) expect((await guess(client))?.status).toBe(401);
  expect(await count()).toEqual([2]);
  // As if there had been three more, each of which takes the time of a real hash.
  await first.sql("update sign_in_delays set failures = 5, next_allowed = now()");
  expect((await guess(here))?.status).toBe(401);
  expect(await count()).toEqual([6]);
  // The next one would be due in four seconds.
  await first.sql("update sign_in_delays set next_allowed = now() + interval '10 minutes'");
  for (const client of [here, there]) expect((await guess(client))?.status).toBe(429);
});

test("a live stream on one hears of a report that is filed on the other", async () => {
  const streams = await Promise.all(servers.map(({ url }) => EventStream.open(world.as(omar), {}, url)));
  try {
    for (const [at, server] of servers.entries()) {
      const { body } = await through(server.url, world.as(maya).cookie).post(
        `/api/events/${event.id}/incidents`,
        { title: `Filed on server ${at + 1}`, description: "It went on for a while." },
      );
      for (const stream of streams) await stream.change("incident.created", body.incident.id);
    }
  } finally {
    for (const stream of streams) stream.close();
  }
});

test("reports that are sent at once are all stored, numbered in one audit chain, and notified of once", async () => {
  const client = through(proxy.url, world.as(maya).cookie);
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      client.post(`/api/events/${event.id}/incidents`, { title: `One of many, ${n}`, description: "d" }),
    ),
  );
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  const ids = made.map(({ body }) => body.incident.id);
  const listNotified = () =>
    first.sql<{ n: number }>(
      "select count(*)::int as n from notifications where incident_id = any($1::uuid[]) and user_id = $2 group by incident_id",
      [ids, omar.id],
    );
  await waitUntil("a notification for each", async () => (await listNotified()).length === 20);
  expect((await listNotified()).map(({ n }) => n)).toEqual(ids.map(() => 1));
  const [chain] = await first.sql<{ entries: number; last: number }>(
    "select count(*)::int as entries, max(seq)::int as last from audit_entries where chain = $1",
    [event.organizationId],
  );
  expect(chain?.entries).toBe(chain?.last);
});

test("a report form without script is one report however often it is sent, to whichever of them, and after a refusal", async () => {
  const open = await world.newEvent(world.organization, "Lakeside open day");
  await world.grant(maya, open, "Reporter");
  await world.grant(ada, open, "Admin");
  const [here, there] = [first, second].map(({ url }) => through(url, world.as(maya).cookie)) as [
    Client,
    Client,
  ];
  const readForm = async (address: string) => {
    const { text } = await here.get(address);
    return {
      sendTo: (/action="([^"]*\/report\/send[^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&amp;", "&"),
      ticket: /name="ticket" value="([^"]*)"/.exec(text)?.[1] ?? "",
    };
  };
  const form = await readForm(`/e/${open.slug}/report`);
  const send = async (client: Client, sendTo: string, description: string) => {
    const body = buildForm({ ticket: form.ticket, anonymous: "true", description });
    const { status, headers } = await client.post(sendTo, body, { opensMailbox: true, mayWrite: true });
    expect(status).toBe(303);
    return String(headers.location);
  };
  const back = await readForm(await send(here, form.sendTo, ""));
  expect(back.ticket).toBe(form.ticket);
  const story = "Someone shouted at me in the workshop.";
  const sent = await Promise.all([
    send(here, back.sendTo, story),
    send(there, back.sendTo, story),
    send(here, form.sendTo, story),
  ]);
  expect(sent).toEqual(Array(3).fill("/mailbox"));
  const { body } = await world.as(ada).get(`/api/events/${open.id}/incidents`);
  expect(body.incidents.map(({ description }: { description: string }) => description)).toEqual([story]);
});

test("jobs run once, whichever of them takes them", async () => {
  const people = await Promise.all(Array.from({ length: 8 }, (_, n) => world.person(`Forgetful ${n}`)));
  for (const { email } of people)
    expect((await through(proxy.url).post("/api/auth/forgot-password", { email })).status).toBe(200);
  const waiting = () =>
    first.sql(
      "select 1 from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'mail.reset'",
    );
  await waitUntil("no reset mail waits", async () => (await waiting()).length === 0);
  const sent = servers.flatMap((server) => readMails(server).map(({ to }) => to));
  for (const { email } of people) expect(sent.filter((to) => to === email)).toEqual([email]);
});

test("a file that was uploaded to one is downloaded from the other, whole and in part, and its sealed original opened", async () => {
  const bytes = await createPhoto();
  const reporter = through(first.url, world.as(maya).cookie);
  const report = { title: "With a photo of it", description: "d" };
  const { body, status } = await reporter.post(
    `/api/events/${event.id}/incidents`,
    buildForm(report, { name: "photo.jpg", bytes }),
  );
  expect(status).toBe(201);
  const [file] = body.incident.relatedFiles;
  expect(file).toMatchObject({ clean: "cleaned", hasOriginal: true });
  const at = `/api/events/${event.id}/incidents/${body.incident.id}/related-files/${file.id}`;
  const [here, there] = await Promise.all(
    servers.map(({ url }) => through(url, world.as(omar).cookie).get(`${at}/download`)),
  );
  expect([here?.status, there?.status]).toEqual([200, 200]);
  const whole = here?.bytes ?? Buffer.alloc(0);
  expect(there?.bytes.equals(whole)).toBe(true);
  const range = { headers: { range: "bytes=10-19" } };
  const part = await through(second.url, world.as(omar).cookie).get(`${at}/download`, range);
  expect([part.status, part.bytes]).toEqual([206, whole.subarray(10, 20)]);
  const admin = through(second.url, world.as(ada).cookie);
  const original = await admin.post(`${at}/original`, { reason: "For the record." });
  expect(original.bytes.equals(bytes)).toBe(true);
  for (const { process } of servers) expect(fs.existsSync(path.join(process.dataDir, "files"))).toBe(false);
});
