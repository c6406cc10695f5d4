import { describe, expect, test } from "vitest";
import { waitForResetToken } from "#e2e/support/outbox.ts";
import { startService } from "#e2e/support/service.ts";
import { DATABASE_ACQUIRE_MS } from "#e2e/support/shared-services.ts";
import { countOutcomes, runConcurrently } from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { STATES } from "#e2e/support/shapes.ts";
import { TestWorld, type ReportRecord } from "#e2e/support/world.ts";

/** Simultaneous requests of one kind: the tests check what is stored afterwards. */

// Fifty at once wait for few connections, on a busy machine for longer than the five seconds of the default.
// A service of its own, since the audit log is verified whole: on a shared database other files damage theirs.
const heed = await startService({ DATABASE_ACQUIRE_MS });

// On an empty database, before the world is built. Cost 12 takes its time: fifty of them, once.
const registrations = await runConcurrently(50, (index) =>
  heed.visitor().post("/api/auth/register", {
    email: `early-${index}@example.org`,
    password: "seven small lanterns",
    name: "Early",
  }),
);
const administrators = await heed.rows("users", "system_admin");
const accounts = await heed.rows("users");

const world = await TestWorld.build(heed);
const { event, ada, maya, omar, sam } = world;

test("of fifty who register first, one becomes SystemAdmin", () => {
  expect(countOutcomes(registrations)).toEqual({ 201: 50 });
  expect(registrations.filter(({ body }) => body.madeSystemAdmin === true)).toHaveLength(1);
  expect(registrations.filter(({ body }) => "madeSystemAdmin" in body)).toHaveLength(1);
  expect([administrators, accounts]).toEqual([1, 50]);
});

test("of twenty who register one address in many spellings, one gets it", async () => {
  const name = generateUniqueWord();
  const spell = (index: number) =>
    [...`${name}@example.org`]
      .map((letter, at) => ((index >> (at % 5)) & 1 ? letter.toUpperCase() : letter))
      .join("");
  const replies = await runConcurrently(20, (index) =>
    heed.visitor().post("/api/auth/register", {
      email: ` ${spell(index)}`,
      password: "seven small lanterns",
      name: "Same",
    }),
  );
  expect(countOutcomes(replies)).toEqual({ 201: 1, "409 EMAIL_TAKEN": 19 });
  expect(await heed.rows("users", "lower(email) = $1", [`${name}@example.org`])).toBe(1);
});

test("a reset token sets one password, though twenty come with it", async () => {
  const person = await world.person("Forgetful Person");
  await heed.visitor().post("/api/auth/forgot-password", { email: person.email });
  const token = await waitForResetToken(heed, person.email);
  const replies = await runConcurrently(20, (index) =>
    heed.visitor().post("/api/auth/reset-password", { token, newPassword: `password number ${index}` }),
  );
  expect(countOutcomes(replies)).toEqual({ 200: 1, "400 RESET_TOKEN_INVALID": 19 });
  const winner = replies.findIndex(({ status }) => status === 200);
  const login = await heed
    .visitor()
    .post("/api/auth/login", { email: person.email, password: `password number ${winner}` });
  expect(login.status).toBe(200);
});

describe("an invite", () => {
  async function invite(maxUses: number): Promise<{ id: string; code: string }> {
    const code = `code-${generateUniqueWord()}`;
    const [row] = await heed.sql<{ id: string }>(
      "insert into invites (code, organization_id, event_id, role, max_uses) values ($1, $2, $3, 'Reporter', $4) returning id",
      [code, world.organization.id, event.id, maxUses],
    );
    return { id: row?.id ?? "", code };
  }

  test("for three lets three of thirty in", async () => {
    const { id, code } = await invite(3);
    const people = await runConcurrently(30, () => world.person("Invited Person"));
    const replies = await Promise.all(
      people.map((person) => world.as(person).post(`/api/invites/${code}/redeem`)),
    );
    expect(countOutcomes(replies)).toEqual({ 200: 3, "410 INVITE_EXHAUSTED": 27 });
    expect(await heed.sql("select use_count from invites where id = $1", [id])).toEqual([{ use_count: 3 }]);
    const ids = people.map((person) => person.id);
    expect(await heed.rows("event_roles", "event_id = $1 and user_id = any($2)", [event.id, ids])).toBe(3);
  });

  test("used ten times at once by one person counts once", async () => {
    const { id, code } = await invite(5);
    const person = await world.person("Eager Person");
    const replies = await runConcurrently(10, () => world.as(person).post(`/api/invites/${code}/redeem`));
    expect(countOutcomes(replies)).toEqual({ 200: 1, "409 ALREADY_MEMBER": 9 });
    expect(await heed.sql("select use_count from invites where id = $1", [id])).toEqual([{ use_count: 1 }]);
  });

  test("for one makes one account of ten", async () => {
    const { code } = await invite(1);
    const before = await heed.rows("users");
    const replies = await runConcurrently(10, () =>
      heed.visitor().post(`/api/auth/register/invite/${code}`, {
        email: `${generateUniqueWord()}@example.org`,
        password: "seven small lanterns",
        name: "New",
      }),
    );
    expect(countOutcomes(replies)).toEqual({ 201: 1, "410 INVITE_EXHAUSTED": 9 });
    expect(await heed.rows("users")).toBe(before + 1);
  });
});

describe("pins", () => {
  test("of one report by one person, thirty times, are one", async () => {
    const report = await world.report(maya, event);
    const body = { incidentId: report.id, eventId: event.id };
    const replies = await runConcurrently(30, () => world.as(omar).post("/api/users/me/pins", body));
    expect(countOutcomes(replies)).toEqual({ 204: 30 });
    expect(await heed.rows("pins", "incident_id = $1", [report.id])).toBe(1);
  });
});

describe("one report, changed from many sides", () => {
  const path = (report: ReportRecord) => `/api/events/${event.id}/incidents/${report.id}`;
  const read = async (report: ReportRecord): Promise<ReportRecord> =>
    (await world.as(ada).get(path(report))).body.incident;

  type Entry = { action: string; from_value: string | null; to_value: string | null };
  const movesOf = (report: ReportRecord) =>
    heed.sql<Entry>(
      "select action, from_value, to_value from incident_history where incident_id = $1 and action in ('submitted', 'state', 'reopen') order by created_at, id",
      [report.id],
    );

  /** Each entry begins where the one before it ended, and the last is where the report stands. */
  async function expectUnbroken(report: ReportRecord): Promise<number> {
    const moves = await movesOf(report);
    for (const [index, move] of moves.slice(1).entries())
      expect(move.from_value).toBe(moves[index]?.to_value);
    expect((await read(report)).state).toBe(moves.at(-1)?.to_value);
    return moves.length - 1;
  }

  test("twenty moves leave an unbroken history", async () => {
    const report = await world.report(maya, event);
    const people = [omar, ada, sam];
    const replies = await runConcurrently(20, (index) =>
      world.as(people[index % 3] ?? omar).patch(`${path(report)}/state`, {
        state: STATES[index % 5],
        notes: `Note ${index}`,
        assignedToUserId: omar.id,
      }),
    );
    expect(countOutcomes(replies)).toEqual({ 200: 20 });
    const moves = await expectUnbroken(report);
    // A move to the state that it is in leaves a note and no move; no note is lost.
    expect(moves).toBeLessThanOrEqual(20);
    const notes = await heed.sql("select body from team_notes where incident_id = $1", [report.id]);
    expect(notes.map(({ body }) => body).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => `Note ${index}`).toSorted(),
    );
    expect(
      await heed.rows("audit_entries", "object_id = $1 and action = 'incident.change'", [report.id]),
    ).toBe(20);
    const after = await read(report);
    expect(after.resolvedAt !== null).toBe(["resolved", "closed"].includes(after.state));
  });

  test("of twenty changes to the same version one succeeds, and the others conflict", async () => {
    const report = await world.report(maya, event);
    const headers = { "if-match": report.updatedAt };
    const replies = await runConcurrently(20, (index) =>
      world
        .as(omar)
        .patch(`${path(report)}/state`, { state: "acknowledged", notes: `Note ${index}` }, { headers }),
    );
    expect(countOutcomes(replies)).toEqual({ 200: 1, "409 CONFLICT": 19 });
    expect(await heed.rows("team_notes", "incident_id = $1", [report.id])).toBe(1);
    expect(
      await heed.rows("audit_entries", "object_id = $1 and action = 'incident.change'", [report.id]),
    ).toBe(1);
  });

  test("the first response stays the first, whoever else responds", async () => {
    const report = await world.report(maya, event);
    const replies = await runConcurrently(20, () =>
      world.as(omar).patch(`${path(report)}/state`, { state: "acknowledged" }),
    );
    expect(countOutcomes(replies)).toEqual({ 200: 20 });
    const times = new Set(replies.map(({ body }) => body.incident.firstResponseAt));
    expect(times.size).toBe(1);
    expect(await expectUnbroken(report)).toBe(1);
  });

  test("reopened twenty times at once, it is reopened once", async () => {
    const report = await world.move(await world.report(maya, event), "closed");
    const replies = await runConcurrently(20, () =>
      world.as(omar).patch(`${path(report)}/reopen`, { notes: "There is more." }),
    );
    expect(countOutcomes(replies)).toEqual({ 200: 1, "409 INVALID_STATE_TRANSITION": 19 });
    await expectUnbroken(report);
  });

  test("titles, too, follow one another", async () => {
    const report = await world.report(maya, event);
    await runConcurrently(20, (index) =>
      world.as(ada).patch(`${path(report)}/title`, { title: `A title numbered ${index}` }),
    );
    const titles = await heed.sql<Entry>(
      "select action, from_value, to_value from incident_history where incident_id = $1 and action = 'title' order by created_at, id",
      [report.id],
    );
    expect(titles).toHaveLength(20);
    expect(new Set(titles.map(({ to_value }) => to_value)).size).toBe(20);
    const chain = new Map(titles.map(({ from_value, to_value }) => [from_value, to_value]));
    let title: string | null = report.title;
    for (let step = 0; step < 20; step += 1) title = chain.get(title) ?? null;
    expect(title).toBe((await read(report)).title);
  });
});

test("a role that is taken away while reports come in: each is before or after", async () => {
  const person = await world.person("Leaving Reporter", { events: [[event, "Reporter"]] });
  const body = { title: "A report at the last moment", description: "d" };
  const [replies] = await Promise.all([
    runConcurrently(20, () => world.as(person).post(`/api/events/${event.id}/incidents`, body)),
    world.revoke(person, event),
  ]);
  const filed = replies.filter(({ status }) => status === 201).length;
  expect(replies.every(({ status }) => status === 201 || status === 403 || status === 404)).toBe(true);
  expect(await heed.rows("incidents", "reporter_id = $1", [person.id])).toBe(filed);
});

test("a role that is taken away while messages and notes are written: each is before or after, and nothing comes later", async () => {
  const person = await world.person("Leaving Responder", { events: [[event, "Responder"]] });
  const path = `/api/events/${event.id}/incidents/${(await world.report(maya, event)).id}/comments`;
  const write = (index: number) =>
    world.as(person).post(path, { body: `Word ${index}`, visibility: index % 2 ? "public" : "internal" });
  const [replies, removed] = await Promise.all([
    runConcurrently(20, write),
    world.as(ada).delete(`/api/events/slug/${event.slug}/users/${person.id}`),
  ]);
  expect(removed.status).toBe(200);
  for (const { status } of replies) expect([201, 403]).toContain(status);
  const written = replies.filter(({ status }) => status === 201).length;
  for (const index of [1, 2]) expect((await write(index)).status).toBe(403);
  const [notes, messages] = [
    await heed.rows("team_notes", "author_id = $1", [person.id]),
    await heed.rows("messages", "author_id = $1", [person.id]),
  ];
  expect(notes + messages).toBe(written);
});

test("the audit log is whole after all this", async () => {
  const { verifyAuditLog } = await import("#lib/audit/verify.ts");
  const chains = await verifyAuditLog();
  expect(chains.length).toBeGreaterThanOrEqual(2);
  for (const chain of chains) expect(chain).toMatchObject({ ok: true, brokenAt: null });
});
