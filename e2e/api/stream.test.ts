import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import type { Client, Reply } from "#e2e/support/client.ts";
import { generateCode, insertSecondFactor } from "#e2e/support/second-factor.ts";
import { expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { EventStream } from "#e2e/support/event-stream.ts";
import { startService } from "#e2e/support/service.ts";
import {
  checkCount,
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  checkRecord,
  checkText,
  checkUuid,
  checkBoolean,
} from "#e2e/support/shapes.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import {
  PASSWORD,
  TestWorld,
  type EventRef,
  type ReportRecord,
  type TestPerson,
} from "#e2e/support/world.ts";

/** What happens, and who is at a report, as it happens: to whoever may see it, through every process. */

// The number of streams that one session may have is one of a process.
const heed = await startService({ HEED_PROCESSES: "1" });
const second = await startService();
const world = await TestWorld.build(heed);
const { ada, event, foreignEvent, boris, maya, nora, olga, omar, otherEvent, rita, sam, viktor } = world;

const opened: EventStream[] = [];
const open = async (client: Client, headers?: Record<string, string>, base?: string) => {
  const stream = await EventStream.open(client, headers, base);
  opened.push(stream);
  return stream;
};
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

/** A Responder of an event in which nothing has happened yet, and where maya reports. */
async function somebodyApart() {
  const apart = await world.newEvent(world.organization, "Apart from the others");
  await world.grant(maya, apart, "Reporter");
  const counting = await world.person("Counting Person", { events: [[apart, "Responder"]] });
  return { counting, apart };
}

const comment = (who: typeof omar, incidentId: string, visibility: string) =>
  world
    .as(who)
    .post(`/api/events/${event.id}/incidents/${incidentId}/comments`, { visibility, body: "Marker-7781" });

describe("a stream", () => {
  test("is text/event-stream, uncompressed and unstored, and begins with the number of unread ones", async () => {
    const stream = await open(world.as(omar), { "accept-encoding": "gzip, br" });
    expect(stream.status).toBe(200);
    expect(stream.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(stream.headers["cache-control"]).toMatch(/no-store/);
    expect(stream.headers["content-encoding"]).toBeUndefined();
    expect(stream.headers["x-content-type-options"]).toBe("nosniff");
    expect(stream.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    const first = await stream.next("the first count", ({ event: name }) => name === "notification");
    expectShape(first.data, { type: checkExactly("notification"), unread: checkCount });
    expect(stream.text).toMatch(/^retry: \d+$/m);
    expect(stream.text).toMatch(/^id: [\w-]{80,}$/m);
  });

  test("sends a report that another process filed to the team and the reporter, and to nobody else", async () => {
    const [team, reporter, other, elsewhere, viewer, nobodys] = await Promise.all([
      open(world.as(omar), {}, second.url),
      open(world.as(maya), {}, second.url),
      open(world.as(rita), {}, second.url),
      open(world.as(world.ines), {}, second.url),
      open(world.as(viktor), {}, second.url),
      open(world.as(nora), {}, second.url),
    ]);
    const report = await world.report(maya, event, { title: "Marker-7781 in a title" });
    const change = await team.change("incident.created", report.id);
    expect(change.data).toEqual({
      type: "change",
      eventId: event.id,
      incidentId: report.id,
      kind: "incident.created",
    });
    expect(change.id).toMatch(/^[\w-]{80,}$/);
    await reporter.change("incident.created", report.id);
    await comment(omar, report.id, "internal");
    await team.change("note.created", report.id);
    await comment(omar, report.id, "public");
    await reporter.change("message.created", report.id);
    // What comes after it has come, so what came before would be there.
    const own = await world.report(rita, event);
    await other.change("incident.created", own.id);
    const theirs = await world.report(sam, otherEvent);
    await elsewhere.change("incident.created", theirs.id);
    await world.report(boris, foreignEvent);
    await team.change("incident.created", own.id);

    expect(reporter.changes).toEqual([`incident.created ${report.id}`, `message.created ${report.id}`]);
    expect(other.changes).toEqual([`incident.created ${own.id}`]);
    expect(elsewhere.changes).toEqual([`incident.created ${theirs.id}`]);
    for (const stream of [viewer, nobodys]) expect(stream.changes).toEqual([]);
    for (const { text: said } of [team, reporter, other, elsewhere])
      expect(said).not.toContain("Marker-7781");
  });

  test("counts what is unread, down as well as up, in every window", async () => {
    // In an event of their own: what other tests have brought about is told at its own time.
    const { counting, apart } = await somebodyApart();
    const [one, two] = await Promise.all([
      open(world.as(counting)),
      open(world.as(counting), {}, second.url),
    ]);
    const unread = (stream: EventStream) =>
      stream.events.findLast(({ event: name }) => name === "notification")?.data.unread;
    await waitUntil("the first counts", () => unread(one) !== undefined && unread(two) !== undefined);
    expect([unread(one), unread(two)]).toEqual([0, 0]);
    await world.report(maya, apart);
    await waitUntil("one more", () => unread(one) === 1 && unread(two) === 1);
    await world.as(counting).patch("/api/users/me/notifications/read-all");
    await waitUntil("none", () => unread(one) === 0 && unread(two) === 0);
  });

  test("follows the current roles", async () => {
    const person = await world.person("Promoted Person", { events: [[event, "Reporter"]] });
    const [stream, watcher] = await Promise.all([
      open(world.as(person), {}, second.url),
      open(world.as(ada)),
    ]);
    const roles = (method: "post" | "delete", roleName: string) =>
      world.as(ada)[method](`/api/events/${event.id}/roles`, { userId: person.id, roleName });
    const countRoleEvents = () => stream.events.filter(({ event: name }) => name === "roles").length;
    const first = await world.report(maya, event);
    await watcher.change("incident.created", first.id);
    expect((await roles("post", "Responder")).status).toBe(200);
    await waitUntil("the new role", () => countRoleEvents() === 1);
    const seen = await world.report(maya, event);
    await stream.change("incident.created", seen.id);
    await roles("delete", "Responder");
    await waitUntil("the lost role", () => countRoleEvents() === 2);
    const unseen = await world.report(maya, event);
    await watcher.change("incident.created", unseen.id);
    const own = await world.report(person, event);
    await stream.change("incident.created", own.id);
    expect(stream.changes).toEqual([`incident.created ${seen.id}`, `incident.created ${own.id}`]);
  });

  test("is at most one of six in a session, and leaves its place when it is closed", async () => {
    const client = await world.device(omar);
    const openSix = () => Promise.all(Array.from({ length: 6 }, () => open(client)));
    const sixWithRoom = async () => {
      const six = await openSix();
      if (six.every(({ status }) => status === 200)) return six;
      for (const stream of six) stream.close();
      return undefined;
    };
    let six = await openSix();
    for (let round = 0; round < 2; round += 1) {
      expect(six.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      const seventh = await open(client);
      expect([seventh.status, seventh.headers["retry-after"]]).toEqual([429, "30"]);
      for (const stream of six) stream.close();
      six = await waitUntil("room for all of them", sixWithRoom);
    }
  });

  test("resumes after a broken connection", async () => {
    const stream = await open(world.as(omar));
    const before = await world.report(maya, event);
    const { id } = await stream.change("incident.created", before.id);
    stream.close();
    const strange = await open(world.as(rita));
    await strange.next("the first count", ({ event: name }) => name === "notification");
    const away = await world.report(maya, event);
    const watcher = await open(world.as(ada));
    await watcher.next("the first count", ({ event: name }) => name === "notification");
    await waitUntil(
      "the dispatch",
      async () => (await heed.rows("notifications", "incident_id = $1", [away.id])) > 0,
    );
    const again = await open(world.as(omar), { "last-event-id": String(id) });
    await again.change("incident.created", away.id);
    const since = /^id: (.+)$/m.exec(strange.text)?.[1] ?? "";
    const stranger = await open(world.as(rita), { "last-event-id": since });
    await stranger.next("the first count", ({ event: name }) => name === "notification");
    // Told twice within two seconds: her own report of an earlier test may come again, those of others never do.
    for (const { id: foreign } of [before, away])
      expect(stranger.changes).not.toContainEqual(expect.stringContaining(foreign));
    const tooOld = await open(world.as(omar), { "last-event-id": "1000" });
    await tooOld.next("the advice to load anew", ({ event: name }) => name === "reload");
  });

  test("can be resumed only from a position of one's own, so that nobody finds out when something arrived", async () => {
    const positionOf = async (person: TestPerson) => {
      const stream = await open(world.as(person));
      await stream.next("the first count", ({ event: name }) => name === "notification");
      return /^id: (.+)$/m.exec(stream.text)?.[1] ?? "";
    };
    const [own, others] = [await positionOf(omar), await positionOf(ada)];
    const started = Date.now();
    const report = await world.report(maya, event);
    await waitUntil("the dispatch", async () => (await heed.rows("outbox_events", "true", [])) === 0);
    const created = `incident.created ${report.id}`;
    for (const chosen of [others, String(started), `${own.startsWith("A") ? "B" : "A"}${own.slice(1)}`]) {
      const stream = await open(world.as(omar), { "last-event-id": chosen });
      await stream.next("the advice to load anew", ({ event: name }) => name === "reload");
      await stream.next("the first count", ({ event: name }) => name === "notification");
      expect(stream.changes, chosen).not.toContain(created);
      expect(stream.text).not.toMatch(/^id: \d+$/m);
    }
    const resumed = await open(world.as(omar), { "last-event-id": own });
    await resumed.change("incident.created", report.id);
  });

  test("outlives the connection that feeds it", async () => {
    const streams = await Promise.all([open(world.as(omar)), open(world.as(omar), {}, second.url)]);
    // Services of other files have databases of their own, and keep their connections.
    await heed.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'heed-live'`,
    );
    for (const stream of streams)
      await stream.next("the advice to load anew", ({ event: name }) => name === "reload");
    const report = await world.report(maya, event);
    for (const stream of streams) await stream.change("incident.created", report.id);
  });
});

describe("a change that isn't one of the record", () => {
  /** Each is done to a report of maya's. What the reporter may hear of is `true`. */
  const incidentAt = (id: string) => `/api/events/${event.id}/incidents/${id}`;
  const commented = async (who: TestPerson, id: string, visibility: string): Promise<string> =>
    `${incidentAt(id)}/comments/${(await comment(who, id, visibility)).body.comment.id}`;
  const filed = async (id: string, visibleToReporter: string): Promise<string> => {
    const data = buildForm({ visibleToReporter }, { name: "note.txt", bytes: "Marker-7781" });
    const { body } = await world.as(omar).post(`${incidentAt(id)}/related-files`, data);
    return `${incidentAt(id)}/related-files/${body.relatedFiles[0].id}`;
  };
  const edited = { body: "Marker-7781, once more" };
  const title = "Marker-7781 in another title";

  test.each<[string, boolean, (id: string) => Promise<() => Promise<Reply>>]>([
    ["a title, by id", true, async (id) => () => world.as(ada).patch(`${incidentAt(id)}/title`, { title })],
    ["a severity", true, async (id) => changing(id, { severity: "high" })],
    ["the team's record", false, async (id) => changing(id, { resolution: "Marker-7781" })],
    ["a note with the present status", false, async (id) => noting(id)],
    ["an edited note", false, async (id) => editing(omar, await commented(omar, id, "internal"))],
    ["a deleted message", true, async (id) => deleting(omar, await commented(omar, id, "public"))],
    ["a deleted file that was shared", true, async (id) => deleting(omar, await filed(id, "true"))],
    ["a file that is shared", true, async (id) => sharing(await filed(id, "false"), true)],
    ["a description of a file of the team", false, async (id) => sharing(await filed(id, "false"), false)],
  ])("is sent to the people concerned: %s", async (_what, reportersToo, prepared) => {
    const report = await world.report(maya, event);
    const [change, mark] = [await prepared(report.id), await world.report(maya, event)];
    await waitUntil("what came before", async () => (await heed.rows("outbox_events", "true", [])) === 0);
    const [team, reporter] = await Promise.all([
      open(world.as(ada), {}, second.url),
      open(world.as(maya), {}, second.url),
    ]);
    await reporter.next("the first count", ({ event: name }) => name === "notification");
    await team.next("the first count", ({ event: name }) => name === "notification");
    const poll = (await world.as(maya).get("/api/users/me/stream?poll=1")).body.cursor;
    const mailed = async () => heed.rows("notifications", "incident_id = $1", [report.id]);
    const before = await mailed();

    const { status, text: answer } = await change();
    expect([200, 204], answer).toContain(status);
    await team.change("incident.changed", report.id);
    await comment(omar, mark.id, "public");
    await reporter.change("message.created", mark.id);
    const changed = `incident.changed ${report.id}`;
    expect(team.changes.filter((one) => one === changed)).toHaveLength(1);
    expect(reporter.changes.filter((one) => one === changed)).toEqual(reportersToo ? [changed] : []);
    // Another process than that of the streams may get the changes later, but in the same order.
    const polled = await waitUntil("the message in a poll", async () => {
      const reply = await world.as(maya).get(`/api/users/me/stream?poll=1&since=${poll}`);
      const isThere = ({ kind, incidentId }: any) => kind === "message.created" && incidentId === mark.id;
      return reply.body.events.some(isThere) && reply;
    });
    const kinds = polled.body.events.filter(({ incidentId }: any) => incidentId === report.id);
    expect(kinds.some(({ kind }: any) => kind === "incident.changed")).toBe(reportersToo);
    for (const { text: said } of [team, reporter, polled]) expect(said).not.toMatch(/Marker|Inside/);
    expect(await mailed()).toBe(before);
  });

  const changing = (id: string, change: object) => () =>
    world.as(omar).patch(`/api/events/slug/${event.slug}/incidents/${id}`, change);
  const noting = (id: string) => () =>
    world.as(omar).patch(`${incidentAt(id)}/state`, { state: "submitted", notes: "Marker-7781" });
  const editing = (who: TestPerson, path: string) => () => world.as(who).patch(path, edited);
  const deleting = (who: TestPerson, path: string) => () => world.as(who).delete(path);
  const sharing = (path: string, visibleToReporter: boolean) => () =>
    world.as(omar).patch(path, visibleToReporter ? { visibleToReporter } : { description: "Marker-7781" });
});

describe("the session or token of a stream", () => {
  /** Somebody of the team, with a stream of another process that is counted and waits. */
  async function follower(name: string) {
    const person = await world.person(name, { events: [[event, "Responder"]] });
    return { person, stream: await following(world.as(person)) };
  }

  async function following(client: Client, headers: Record<string, string> = {}): Promise<EventStream> {
    const stream = await open(client, headers, second.url);
    await stream.next("the first count", ({ event: name }) => name === "notification");
    return stream;
  }

  /** A report that comes right behind what was done; the stream may know nothing of it, and of nothing else. */
  async function expectNoEvents(streams: EventStream[]): Promise<void> {
    const watcher = await following(world.as(ada));
    const before = streams.map(({ text }) => text);
    const { id } = await world.report(maya, event);
    await watcher.change("incident.created", id);
    await waitUntil("the end", () => streams.every(({ ended }) => ended));
    expect(streams.map(({ text }) => text)).toEqual(before);
  }

  const tokenOf = async (
    person: TestPerson,
    eventId: string | null = null,
  ): Promise<Record<string, string>> => {
    const wanted = { name: "A program", scope: "read", eventId, expiresInDays: 1, currentPassword: PASSWORD };
    const { body, status, text } = await world.as(person).post("/api/users/me/tokens", wanted);
    expect(status, text).toBe(201);
    return { cookie: "", authorization: `Bearer ${body.token}` };
  };

  const disable = (person: TestPerson) =>
    world.as(sam).patch(`/api/admin/users/${person.id}`, { disabled: true });

  test("ends it at once, when the account is disabled", async () => {
    const { person, stream } = await follower("Disabled Person");
    const program = await following(heed.visitor(), await tokenOf(person));
    expect((await disable(person)).status).toBe(200);
    await expectNoEvents([stream, program]);
  });

  test("ends it at once, when it signs out, or is signed out from elsewhere", async () => {
    const { person, stream } = await follower("Leaving Person");
    const elsewhere = await world.device(person);
    const other = await following(elsewhere);
    expect((await world.as(person).post("/api/auth/logout")).status).toBe(200);
    await expectNoEvents([stream]);
    expect(other.ended).toBe(false);

    const home = await world.signIn(person);
    const stays = await following(home);
    const { body } = await home.get("/api/users/me/sessions");
    for (const session of body.sessions.filter((one: any) => !one.current))
      expect((await home.delete(`/api/users/me/sessions/${session.id}`)).status).toBe(204);
    await expectNoEvents([other]);
    expect(stays.ended).toBe(false);
  });

  test("ends it at once, when the token is removed", async () => {
    const { person, stream } = await follower("Programming Person");
    const programs = await Promise.all([
      following(heed.visitor(), await tokenOf(person)),
      following(heed.visitor(), await tokenOf(person)),
    ]);
    const { body } = await world.as(person).get("/api/users/me/tokens");
    for (const { id } of body.tokens)
      expect((await world.as(person).delete(`/api/users/me/tokens/${id}`)).status).toBe(204);
    await expectNoEvents(programs);
    expect(stream.ended).toBe(false);
  });

  test("ends it before the next event, when session or token have run out", async () => {
    const person = await world.person("Late Person", { events: [[event, "Responder"]] });
    const [headers, idle] = [await tokenOf(person), await world.device(person)];
    // Long enough for a slow machine to open both streams.
    for (const table of ["api_tokens", "sessions"])
      await heed.sql(`update ${table} set expires_at = now() + interval '10 s' where user_id = $1`, [
        person.id,
      ]);
    const streams = await Promise.all([following(heed.visitor(), headers), following(idle)]);
    for (const table of ["api_tokens", "sessions"])
      await waitUntil(
        "their end",
        async () => (await heed.rows(table, "user_id = $1 and expires_at > now()", [person.id])) === 0,
      );
    const watcher = await following(world.as(ada));
    const { id } = await world.report(maya, event);
    await watcher.change("incident.created", id);
    await waitUntil("the end", () => streams.every(({ ended }) => ended));
    for (const { text } of streams) expect(text).not.toContain(id);
  });

  test("shows nothing more of an organization that requires a second factor, until there is one", async () => {
    const place = await world.newOrganization("Stricter Guild");
    const meeting = await world.newEvent(place, "Stricter Congress");
    const admin = await world.person("Strict Admin", {
      organization: [place, "org_admin"],
      events: [[meeting, "Admin"]],
    });
    await insertSecondFactor(world, admin);
    const person = await world.person("Loose Person", {
      events: [
        [meeting, "Responder"],
        [event, "Reporter"],
      ],
    });
    const [stream, watcher] = await Promise.all([following(world.as(person)), following(world.as(admin))]);
    const countRoleEvents = () => stream.events.filter(({ event: name }) => name === "roles").length;

    const required = { requireSecondFactor: true };
    expect((await world.as(admin).put(`/api/organizations/${place.id}`, required)).status).toBe(200);
    const hidden = await world.report(admin, meeting);
    await watcher.change("incident.created", hidden.id);
    const own = await world.report(person, event);
    await stream.change("incident.created", own.id);
    expect(stream.text).not.toContain(hidden.id);
    expect(countRoleEvents()).toBe(1);

    const { body } = await world
      .as(person)
      .post("/api/users/me/second-factor", { currentPassword: PASSWORD });
    const code = generateCode(body.secret);
    expect((await world.as(person).post("/api/users/me/second-factor/confirm", { code })).status).toBe(200);
    const shown = await world.report(admin, meeting);
    await stream.change("incident.created", shown.id);
    expect(countRoleEvents()).toBe(2);
  });

  test("stops events of all organizations after the system role is revoked", async () => {
    const former = await world.person("Former System", { systemAdmin: true });
    const stream = await following(world.as(former));
    const seen = await world.report(maya, event);
    await stream.change("incident.created", seen.id);
    const demotion = await world.as(sam).patch(`/api/admin/users/${former.id}`, { systemAdmin: false });
    expect(demotion.status, demotion.text).toBe(200);
    const watcher = await following(world.as(ada));
    const unseen = await world.report(maya, event);
    await watcher.change("incident.created", unseen.id);
    await stream.next("the lost role", ({ event: name }) => name === "roles");
    expect(stream.text).not.toContain(unseen.id);
  });
});

describe("polling", () => {
  const poll = async (client: Client, since?: string) =>
    (await client.get(`/api/users/me/stream?poll=1${since ? `&since=${since}` : ""}`)).body;

  test("returns the same events since the last poll", async () => {
    const { counting, apart } = await somebodyApart();
    const first = await poll(world.as(counting));
    expectShape(first, {
      cursor: checkText,
      complete: checkBoolean,
      unread: checkCount,
      events: checkList(checkRecord({})),
    });
    expect(first).toMatchObject({ complete: true, events: [] });
    const other = await poll(world.as(rita));
    const report = await world.report(maya, apart);
    const change = { type: "change", eventId: apart.id, incidentId: report.id, kind: "incident.created" };
    const news = await waitUntil("the report", async () => {
      const answer = await poll(world.as(counting), first.cursor);
      return answer.events.some((one: any) => one.incidentId === report.id) && answer;
    });
    expectShape(news, {
      cursor: checkText,
      complete: checkBoolean,
      unread: checkCount,
      events: checkList(
        checkRecord({
          type: checkExactly("change"),
          eventId: checkNullable(checkUuid),
          incidentId: checkNullable(checkUuid),
          kind: checkText,
        }),
      ),
    });
    expect(news.events).toContainEqual(change);
    expect(news.unread).toBe(first.unread + 1);
    expect((await poll(world.as(rita), other.cursor)).events).not.toContainEqual(change);
    expect(await poll(world.as(counting), "1000")).toMatchObject({ complete: false, events: [] });
  });

  test("is what a program gets that asks for JSON", async () => {
    const { body } = await world
      .as(omar)
      .get("/api/users/me/stream", { headers: { accept: "application/json" } });
    expect(body).toMatchObject({ complete: true });
  });
});

/** Who of the team has a report open: the team learns it through every process, and nobody else does. */
describe("presence", () => {
  /** A stream that has begun. */
  const watch = async (client: Client, base?: string) => {
    const stream = await open(client, {}, base);
    await stream.next("the first count", ({ event: name }) => name === "notification");
    return stream;
  };

  const say = (client: Client, report: { id: string }, doing: unknown, of: Pick<EventRef, "id"> = event) =>
    client.post(`/api/events/${of.id}/incidents/${report.id}/presence`, { doing });
  const heard = (stream: EventStream) =>
    stream.events.filter(({ event: name }) => name === "presence").map(({ data }) => data);

  /** Lists who else has the report open, as the response to this person says. */
  async function others(client: Client, report: ReportRecord): Promise<string[]> {
    const { body } = await say(client, report, "reading");
    return body.present
      .map((one: { personId: string; doing: string }) => `${one.doing} ${one.personId}`)
      .toSorted();
  }

  test("is sent to the rest of the team in every process, by ids, and ends when a person leaves", async () => {
    const report = await world.report(maya, event);
    const [near, far, own] = await Promise.all([
      watch(world.as(ada)),
      watch(world.as(ada), second.url),
      watch(world.as(omar)),
    ]);
    expect((await say(world.as(omar), report, "reading")).body).toEqual({ present: [] });
    await say(world.as(omar), report, "writing");
    await say(world.as(omar), report, "gone");
    const messages = ["reading", "writing", "gone"].map((doing) => ({
      type: "presence",
      eventId: event.id,
      incidentId: report.id,
      personId: omar.id,
      doing,
    }));
    for (const stream of [near, far]) {
      await waitUntil("three of them", () => heard(stream).length === 3);
      expect(heard(stream)).toEqual(messages);
    }
    expect(heard(own)).toEqual([]);
  });

  test("is returned to people who arrive later, and stores nothing in the database", async () => {
    const report = await world.report(maya, event);
    const counted = async () =>
      Promise.all(
        ["audit_entries", "incident_access", "incident_history", "outbox_events"].map((of) => heed.rows(of)),
      );
    await waitUntil("an empty outbox", async () => (await heed.rows("outbox_events")) === 0);
    const before = await counted();
    await say(world.as(omar), report, "writing");
    await waitUntil("seen by the next", async () => (await others(world.as(ada), report)).length === 1);
    expect(await others(world.as(ada), report)).toEqual([`writing ${omar.id}`]);
    expect(await others(world.as(omar), report)).toEqual([`reading ${ada.id}`]);
    await say(world.as(omar), report, "gone");
    await waitUntil("gone", async () => (await others(world.as(ada), report)).length === 0);
    expect(await counted()).toEqual(before);
  });

  test("isn’t changed by a request that arrives after the end of its visit", async () => {
    const report = await world.report(maya, event);
    const team = await watch(world.as(ada), second.url);
    const [visit, next] = [randomUUID(), randomUUID()];
    const at = `/api/events/${event.id}/incidents/${report.id}/presence`;
    for (const doing of ["reading", "gone", "reading"]) await world.as(omar).post(at, { doing, visit });
    await world.as(omar).post(at, { doing: "writing", visit: next });
    await waitUntil("the next visit", () => heard(team).some(({ doing }) => doing === "writing"));
    expect(heard(team).map(({ doing }) => doing)).toEqual(["reading", "gone", "writing"]);
    expect(team.text).not.toContain(visit);
    expect(await others(world.as(ada), report)).toEqual([`writing ${omar.id}`]);
  });

  test("is not sent to reporters, viewers and strangers", async () => {
    const report = await world.report(maya, event);
    const outside = [maya, rita, viktor, olga, nora, boris];
    const streams = await Promise.all(outside.map((person) => watch(world.as(person), second.url)));
    const team = await watch(world.as(ada), second.url);
    await say(world.as(omar), report, "writing");
    await waitUntil("the team has heard", () => heard(team).length === 1);
    const own = await world.report(maya, event);
    await streams[0]?.change("incident.created", own.id);
    for (const stream of streams) {
      expect(heard(stream)).toEqual([]);
      expect(stream.text).not.toContain(omar.id);
    }
  });

  test("ends at once for people who leave the team", async () => {
    const report = await world.report(maya, event);
    const leaving = await world.person("Leaving Responder", { events: [[event, "Responder"]] });
    const stream = await watch(world.as(leaving), second.url);
    await say(world.as(omar), report, "reading");
    await waitUntil("heard", () => heard(stream).length === 1);
    await world
      .as(ada)
      .delete(`/api/events/${event.id}/roles`, { userId: leaving.id, roleName: "Responder" });
    await waitUntil("the lost role", () => stream.events.some(({ event: name }) => name === "roles"));
    const watcher = await watch(world.as(ada), second.url);
    await say(world.as(omar), report, "writing");
    await waitUntil("the team has heard", () => heard(watcher).length === 1);
    expect(heard(stream)).toHaveLength(1);
    expectRefusal(await say(world.as(leaving), report, "reading"), "403 FORBIDDEN");
  });
});

describe("the end", () => {
  test("of the service ends the streams first, without cutting their connections, and writes which tokens were used", async () => {
    const stream = await EventStream.open(world.as(omar), {}, second.url);
    await stream.next("the first count", ({ event: name }) => name === "notification");
    const wanted = { name: "Script", scope: "read", currentPassword: PASSWORD };
    const { token, apiToken } = (await world.as(omar).post("/api/users/me/tokens", wanted)).body;
    const readLastUse = async (): Promise<Date | null> =>
      (await heed.sql("select last_used_at from api_tokens where id = $1", [apiToken.id]))[0]?.last_used_at;
    const before = Date.now();
    await second.visitor().get("/api/session", { headers: { authorization: `Bearer ${token}` } });
    const stored = await readLastUse();
    const quarterOf = (time: number) => Math.floor(time / (15 * 60_000));
    // If the quarter has ended just now, the use may be recorded.
    if (quarterOf(Date.now()) === quarterOf(before)) expect(stored).toBeNull();
    expect(await second.process.stop()).toBe(0);
    expect([stream.ended, stream.complete]).toEqual([true, true]);
    const lastUse = (await readLastUse())?.getTime() ?? 0;
    expect(lastUse % (15 * 60_000)).toBe(0);
    expect(before - lastUse).toBeLessThan(16 * 60_000);
  });
});
