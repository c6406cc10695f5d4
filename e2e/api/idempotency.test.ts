import { createHash, randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runWithoutBackgroundWork } from "#e2e/support/background-work.ts";
import type { RequestOptions, Reply } from "#e2e/support/client.ts";
import { buildForm, createJpeg, createPhoto } from "#e2e/support/evidence.ts";
import { startService } from "#e2e/support/service.ts";
import { DATABASE_ACQUIRE_MS } from "#e2e/support/shared-services.ts";
import {
  countOutcomes,
  summarizeResponse,
  runConcurrently,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** A report that is sent again under its `Idempotency-Key` is one report (contract 7.4). */

// Twenty at once wait for few connections, on a busy machine for longer than the five seconds of the default.
const heed = await startService({ DATABASE_ACQUIRE_MS });
const world = await TestWorld.build(heed);
const { event, otherEvent, ada, maya, nora, omar, organization, rita, sam } = world;

const REPORT = { title: "Shouting at the registration desk", description: "It went on for a while." };
const byId = (of: EventRef = event) => `/api/events/${of.id}/incidents`;
const bySlug = (of: EventRef = event) => `/api/events/slug/${of.slug}/incidents`;
const under = (key: string, ask: RequestOptions = {}): RequestOptions => ({
  ...ask,
  headers: { "idempotency-key": key },
});

type Body = Record<string, unknown> | FormData;
const send = (key: string, body: Body = REPORT, who: TestPerson = maya, to = byId()) =>
  world.as(who).post(to, body, under(key));

const replayed = ({ headers }: Reply) => headers["idempotent-replayed"];
const reports = (of: EventRef = event) => heed.rows("incidents", "event_id = $1", [of.id]);
const fields = (changes: Record<string, string> = {}): Record<string, string> => ({ ...REPORT, ...changes });

describe("twenty at once under one key", () => {
  const pictured = async () =>
    buildForm(
      fields(),
      { name: "badge.jpg", bytes: await createJpeg() },
      { name: "hall.jpg", bytes: await createPhoto() },
    );

  test.each([
    ["as JSON", async () => REPORT as Body],
    ["with files", pictured],
  ])("%s create one report, which all responses show", async (_, body) => {
    const of = await world.newEvent(organization);
    await world.grant(maya, of, "Reporter");
    const stored = await storedFiles();
    const key = randomUUID();
    const replies = await runConcurrently(20, async (index) =>
      send(key, await body(), maya, index % 2 ? byId(of) : bySlug(of)),
    );
    expect(countOutcomes(replies)).toEqual({ 201: 20 });
    const [first, ...others] = replies.filter((reply) => !replayed(reply));
    expect(others).toEqual([]);
    for (const reply of replies) expect(reply.body).toEqual(first?.body);
    expect(replies.filter((reply) => replayed(reply) === "true")).toHaveLength(19);
    const [{ count: files } = { count: -1 }] = await heed.sql(
      "select count(*)::int as count from related_files where event_id = $1",
      [of.id],
    );
    expect([await reports(of), files]).toEqual([1, first?.body.incident.relatedFiles.length]);
    expect(await heed.rows("incident_history", "event_id = $1", [of.id])).toBe(1);
    expect(await heed.rows("audit_entries", "action = 'incident.create' and event_id = $1", [of.id])).toBe(1);
    // What the others had stored already is taken back: of the new files, one and its sealed original have rows.
    const storedRows = await heed.sql(
      "select storage_key, original_key from related_files where event_id = $1",
      [of.id],
    );
    const keys = storedRows
      .flatMap(({ storage_key, original_key }) => [storage_key, original_key])
      .filter(Boolean);
    await waitUntil("the others' files to be gone", async () => {
      const now = await storedFiles();
      return now.length === stored.length + keys.length ? now : undefined;
    });
  });

  test("with different content, one is accepted and the others get IDEMPOTENCY_KEY_REUSED", async () => {
    const of = await world.newEvent(organization);
    await world.grant(maya, of, "Reporter");
    const key = randomUUID();
    const replies = await runConcurrently(20, (index) =>
      send(key, { ...REPORT, location: `Hall ${index}` }, maya, byId(of)),
    );
    expect(countOutcomes(replies)).toEqual({ 201: 1, "422 IDEMPOTENCY_KEY_REUSED": 19 });
    expect(await reports(of)).toBe(1);
  });
});

describe("the same report sent again", () => {
  test("writes not one row", async () => {
    const key = randomUUID();
    const bytes = await createJpeg();
    await expectNoRowsWhenRepeated(() => send(key, buildForm(fields(), { name: "badge.jpg", bytes })));
  });

  test("is recognized as JSON and as a form, with and without default values", async () => {
    const key = randomUUID();
    const first = await send(key, REPORT);
    for (const body of [
      buildForm(fields({ location: "", contactMethod: "email" })),
      { description: ` ${REPORT.description} `, title: REPORT.title, severity: null, anonymous: false },
    ]) {
      const again = await send(key, body as Body, maya, bySlug());
      expect([again.status, again.body, replayed(again)]).toEqual([201, first.body, "true"]);
    }
  });

  test("shows the report as its reporter may see it by then", async () => {
    const key = randomUUID();
    const first = await send(key);
    const moved = await world.move(first.body.incident, "investigating");
    const again = await send(key);
    const seen = await world.as(maya).get(`${byId()}/${moved.id}`);
    expect(again.body).toEqual(seen.body);
    expect(again.body.incident.state).toBe("investigating");
  });

  test("of an anonymous one shows it as sent, without later changes by the team", async () => {
    const body = { ...REPORT, anonymous: true, severity: "critical" };
    const key = randomUUID();
    const first = await send(key, body);
    const moved = await world.move(first.body.incident, "resolved");
    const retitled = await world
      .as(ada)
      .patch(`${byId()}/${moved.id}/title`, { title: "What the team calls it" });
    expect(retitled.status, retitled.text).toBe(200);
    const again = await send(key, body);
    expect([again.status, again.body, replayed(again)]).toEqual([201, first.body, "true"]);
  });

  test("with other files, or the same under another name, is another report", async () => {
    const key = randomUUID();
    const bytes = await createJpeg();
    expect((await send(key, buildForm(fields(), { name: "badge.jpg", bytes }))).status).toBe(201);
    for (const body of [
      buildForm(fields()),
      buildForm(fields(), { name: "badge.jpg", bytes: await createPhoto() }),
      buildForm(fields(), { name: "other.jpg", bytes }),
      buildForm(fields(), { name: "badge.jpg", bytes }, { name: "badge.jpg", bytes }),
    ])
      expectRefusal(await send(key, body), "422 IDEMPOTENCY_KEY_REUSED");
  });
});

test("the same message to the reporter sent again writes not one row", async () => {
  const report = await world.report(maya, event);
  const key = randomUUID();
  const body = { body: "We saw it.", visibility: "public" };
  await expectNoRowsWhenRepeated(() =>
    world.as(omar).post(`${byId()}/${report.id}/comments`, body, under(key)),
  );
  const notified = "incident_id = $1 and kind = 'message.created'";
  expect(await heed.rows("notifications", notified, [report.id])).toBeGreaterThan(0);
});

describe("another report under the same key", () => {
  test("is refused, with a link to the first", async () => {
    const key = randomUUID();
    const { body } = await send(key);
    const other = await send(key, { ...REPORT, description: "It went on for an hour." });
    expect([other.status, other.body]).toEqual([
      422,
      {
        error: "A different report was already sent with this key.",
        details:
          "That report is saved as it was sent, and nothing was changed. Send this one with a key of its own.",
        code: "IDEMPOTENCY_KEY_REUSED",
      },
    ]);
    expect(other.headers.location).toBe(`${byId()}/${body.incident.id}`);
    expect((await world.as(maya).get(String(other.headers.location))).body).toEqual(body);
  });

  test("is refused without a link if the first is anonymous", async () => {
    const key = randomUUID();
    await send(key, { ...REPORT, anonymous: true });
    const other = await send(key, { ...REPORT, anonymous: true, location: "Hall 2" });
    expectRefusal(other, "422 IDEMPOTENCY_KEY_REUSED");
    expect(other.headers.location).toBeUndefined();
    const named = await send(key, REPORT);
    expect([summarizeResponse(named), named.headers.location]).toEqual([
      [422, "IDEMPOTENCY_KEY_REUSED"],
      undefined,
    ]);
  });

  test("by another person, or at another event, is a report of its own", async () => {
    await world.grant(maya, otherEvent, "Reporter");
    const key = randomUUID();
    const replies = [
      await send(key),
      await send(key, REPORT, rita),
      await send(key, REPORT, sam),
      await send(key, REPORT, maya, byId(otherEvent)),
      await send(randomUUID()),
      await world.as(maya).post(byId(), REPORT),
      await world.as(maya).post(byId(), REPORT),
    ];
    expect(countOutcomes(replies)).toEqual({ 201: replies.length });
    expect(replies.map(replayed).filter(Boolean)).toEqual([]);
    expect(new Set(replies.map(({ body }) => body.incident.id)).size).toBe(replies.length);
    await world.revoke(maya, otherEvent);
  });
});

describe("a key", () => {
  test.each([
    ["of 255 characters", "k".repeat(255), 201],
    ["of 256", "k".repeat(256), 400],
  ])("%s is accepted or refused by its form", async (_, key, status) => {
    const reply = await send(key, REPORT, rita);
    expect(reply.status, reply.text).toBe(status);
    if (status === 400)
      expect(reply.body).toMatchObject({
        code: "VALIDATION_ERROR",
        details: "Idempotency-Key: must be 1 to 255 printable ASCII characters",
      });
  });

  test("can be used again after a refusal", async () => {
    const key = randomUUID();
    const refused = [
      await send(key, { ...REPORT, title: "Too short" }),
      await send(key, buildForm(fields(), { name: "x.exe", bytes: "MZ\0\0" })),
      await world.as(maya).post(byId(), undefined, under(key, { raw: "{" })),
      await send(key, REPORT, nora),
      await world.nobody.post(byId(), REPORT, under(key)),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 415, 415, 403, 401]);
    const sent = await send(key);
    expect([sent.status, replayed(sent)]).toEqual([201, undefined]);
  });

  test("is deleted with its report, with its event, and with the account", async () => {
    const of = await world.newEvent(organization);
    const person = await world.person("Leaving Person", { events: [[of, "Reporter"]] });
    const keys = () => heed.rows("idempotency_keys");
    const before = await keys();
    const key = randomUUID();
    const first = await send(key, REPORT, person, byId(of));
    expect(await keys()).toBe(before + 1);
    await heed.sql("delete from incidents where id = $1", [first.body.incident.id]);
    expect(await keys()).toBe(before);
    const second = await send(key, REPORT, person, byId(of));
    expect([second.status, replayed(second)]).toEqual([201, undefined]);
    await heed.sql("delete from users where id = $1", [person.id]);
    expect(await keys()).toBe(before);
    await world.grant(maya, of, "Reporter");
    expect((await send(key, REPORT, maya, byId(of))).status).toBe(201);
    await heed.sql("delete from events where id = $1", [of.id]);
    expect(await keys()).toBe(before);
    expectRefusal(await send(key, REPORT, maya, byId(of)), "404 NOT_FOUND");
  });
});

test("a key is remembered for 24 hours", async () => {
  const { body } = await send(randomUUID());
  const [expiry] = await heed.sql(
    "select k.expires_at - i.created_at = interval '24 hours' as fits from idempotency_keys k join incidents i on i.id = k.incident_id where i.id = $1",
    [body.incident.id],
  );
  expect(expiry?.fits).toBe(true);
});

describe("who has the database", () => {
  test("learns neither the key nor, for an anonymous report, its sender or time", async () => {
    const key = randomUUID();
    const person = await world.person("Careful Person", { events: [[event, "Reporter"]] });
    const anonymous = await send(key, { ...REPORT, anonymous: true }, person);
    const { id } = anonymous.body.incident;
    const [row = {}] = await heed.sql(
      "select to_jsonb(k) as row from idempotency_keys k where incident_id = $1",
      [id],
    );
    const { content_hash: _, key_hash: __, expires_at: expiresAt, ...others } = row.row;
    expect(Object.entries(others).filter(([, value]) => value !== null)).toEqual([
      ["incident_id", id],
      ["took_effect", false],
    ]);
    expect(Date.parse(expiresAt) % (15 * 60_000)).toBe(0);
    // Hashes that are the same for nobody and nothing else, though person, event, key and words are all known.
    for (const name of ["key_hash", "content_hash"]) expect(row.row[name]).toMatch(/^\\x[0-9a-f]{64}$/);
    for (const secret of [key, person.id, person.email, event.id])
      for (const spelled of [secret, Buffer.from(secret).toString("hex")])
        expect(JSON.stringify(row.row)).not.toContain(spelled);
    const guesses = [key, `${person.id} ${event.id} ${key}`, `${person.id}${event.id}${key}`];
    for (const guess of guesses)
      expect(row.row.key_hash).not.toBe(`\\x${createHash("sha256").update(guess).digest("hex")}`);
    // Nobody else's row holds the same, though the words are.
    const [same] = await heed.sql("select count(*)::int as n from idempotency_keys where content_hash = $1", [
      Buffer.from(String(row.row.content_hash).slice(2), "hex"),
    ]);
    expect(same?.n).toBe(1);
  });

  test("finds a person only where the report names the same", async () => {
    const astray = await heed.sql(
      `select 1 from idempotency_keys k join incidents i on i.id = k.incident_id where k.user_id is distinct from i.reporter_id`,
    );
    expect(astray).toEqual([]);
    expect(await heed.rows("idempotency_keys", "user_id is not null")).toBeGreaterThan(0);
  });
});

/** The files of the storage, by name. */
async function storedFiles(): Promise<string[]> {
  const folder = path.join(heed.process.dataDir, "files");
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => /[0-9a-f-]{36}$/.test(name));
}

/** Sends a request for the first time, and again once all that follows from it is written. */
async function expectNoRowsWhenRepeated(request: () => Promise<Reply>): Promise<void> {
  const first = await request();
  expect([first.status, replayed(first)], first.text).toEqual([201, undefined]);
  await runWithoutBackgroundWork(async () => {
    const before = await countAllRows();
    const again = await request();
    expect([again.status, replayed(again)], again.text).toEqual([201, "true"]);
    expect(await countAllRows()).toEqual(before);
  });
}

/** Counts the rows of each table except counters of rate limits; jobs included, and so mails that wait to be sent. */
async function countAllRows(): Promise<Record<string, number>> {
  const tables = await heed.sql<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables
     where schemaname in ('public', 'graphile_worker') and tablename <> 'rate_limits'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const counts = await heed.sql<{ name: string; count: number }>(
    tables
      .map(({ name }) => `select '${name}' as name, count(*)::int as count from ${name}`)
      .join(" union all "),
  );
  return Object.fromEntries(counts.map(({ name, count }) => [name, count]));
}
