import { describe, expect, test } from "vitest";
import { runConcurrently, UNKNOWN_ID, expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { runWhileLocked } from "#e2e/support/row-lock.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  PASSWORD,
  TestWorld,
  type EventRef,
  type ReportRecord,
  type TestPerson,
} from "#e2e/support/world.ts";

/** Calls that use event roles without an event in their path accept the invitations that they need (contract 2.7). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, foreignEvent, maya, otherEvent, sam } = world;
const report = await world.report(maya, event);
const otherReport = await world.report(world.ines, otherEvent);

type Client = ReturnType<typeof world.as>;
const people = `/api/events/slug/${event.slug}/users`;
const MINE = "/api/users/me";
const INCIDENTS = `${MINE}/incidents`;

async function invite(role: "Reporter" | "Responder", ...events: EventRef[]): Promise<TestPerson> {
  const person = await world.person("Strange Person", { events: [[foreignEvent, "Responder"]] });
  for (const one of events) await world.invite(person, one, role);
  return person;
}

/** Lists which of the events the person is still only invited to. */
const listPending = async ({ id }: TestPerson): Promise<string[]> =>
  (
    await heed.sql<{ slug: string }>(
      "select e.slug from event_roles r join events e on e.id = r.event_id where r.user_id = $1 and r.pending",
      [id],
    )
  ).map(({ slug }) => slug);

const countAcceptances = ({ id }: TestPerson) =>
  heed.rows("audit_entries", "action = 'eventUser.acceptInvitation' and actor_id = $1", [id]);

const THE_REPORT = { incidentId: report.id, eventId: event.id };

const CALLS: [string, (as: Client) => ReturnType<Client["get"]>, shows: string][] = [
  ["the list of an event by slug", (as) => as.get(`${INCIDENTS}?limit=100&event=${event.slug}`), report.id],
  ["the list of an event by id", (as) => as.get(`${INCIDENTS}?limit=100&event=${event.id}`), report.id],
  ["the list of all events", (as) => as.get(`${INCIDENTS}?limit=100`), report.id],
  ["counts", (as) => as.get(`${INCIDENTS}/summary?event=${event.slug}`), event.id],
  ["marks", (as) => as.get(`${INCIDENTS}/marks?ids=${report.id}`), report.id],
  ["refs", (as) => as.get(`${INCIDENTS}/refs?event=${event.slug}&limit=100`), report.id],
  [
    "neighbors",
    (as) => as.get(`${INCIDENTS}/neighbours?incidentId=${report.id}&event=${event.slug}`),
    "previous",
  ],
  ["the export of chosen incidents", (as) => as.get(`${INCIDENTS}/export?ids=${report.id}`), report.title],
  [
    "the export of matching ones",
    (as) => as.get(`${INCIDENTS}/export/matching?event=${event.slug}`),
    report.title,
  ],
  ["the list of pins", (as) => as.get(`${MINE}/pins?eventId=${event.id}`), "incidentIds"],
  ["pinning", (as) => as.post(`${MINE}/pins`, THE_REPORT), ""],
  ["marking as unread", (as) => as.post(`${MINE}/unread`, THE_REPORT), ""],
];

describe("an invitation is accepted by", () => {
  test.each(CALLS)("%s, completely and once", async (_, call, shows) => {
    const person = await invite("Responder", event);
    const replies = await runConcurrently(3, () => call(world.as(person)));
    for (const reply of replies) {
      expect([200, 204], reply.text).toContain(reply.status);
      expect(reply.text).toContain(shows);
    }
    expect(await listPending(person)).toEqual([]);
    expect(await countAcceptances(person)).toBe(1);
    const { body } = await world.as(ada).get(`${people}/${person.id}`);
    expect(body).toMatchObject({ invited: false, user: { email: person.email } });
  });

  test("a report with a name, of somebody who could report without the role as well", async () => {
    const person = await invite("Reporter", event);
    const send = (anonymous: boolean) =>
      world.as(person).post(`/api/events/${event.id}/reports`, {
        title: "Shouting at the front desk",
        description: "It went on.",
        anonymous,
      });
    expect((await send(true)).status).toBe(201);
    expect(await listPending(person)).toEqual([event.slug]);
    expect((await send(false)).status).toBe(201);
    expect(await listPending(person)).toEqual([]);
  });
});

describe("of several invitations", () => {
  test.each<[string, string, string[]]>([
    ["a list of one event accepts that one", `${INCIDENTS}?event=${event.slug}`, [otherEvent.slug]],
    ["a list of all events accepts all", INCIDENTS, []],
    ["marks accept those of their incidents", `${INCIDENTS}/marks?ids=${otherReport.id}`, [event.slug]],
    [
      "a list of another event accepts none",
      `${INCIDENTS}?event=${foreignEvent.slug}`,
      [event.slug, otherEvent.slug],
    ],
  ])("%s", async (_, path, left) => {
    const person = await invite("Responder", event, otherEvent);
    expect((await world.as(person).get(path)).status).toBe(200);
    expect((await listPending(person)).toSorted()).toEqual(left.toSorted());
  });

  test("a Reporter's list accepts theirs, and an export for the team doesn't", async () => {
    const person = await invite("Reporter", event);
    expect((await world.as(person).get(`${INCIDENTS}/export/matching?event=${event.slug}`)).status).toBe(200);
    expect(await listPending(person)).toEqual([event.slug]);
    expect((await world.as(person).get(`${INCIDENTS}?event=${event.slug}`)).status).toBe(200);
    expect(await listPending(person)).toEqual([]);
  });
});

describe("an invitation stays open", () => {
  test("with calls that use no role there, and pages", async () => {
    const person = await invite("Responder", event);
    const as = world.as(person);
    const paths = [
      `${MINE}/saved-views`,
      `${MINE}/notifications`,
      `${MINE}/notification-settings`,
      `${MINE}/stream?poll=1`,
      `${MINE}/outside-incidents`,
      `${MINE}/pins?eventId=${foreignEvent.id}`,
      "/inbox",
      `${MINE}/jump?search=${report.id}`,
      `/jump?search=${report.id}`,
      `/inbox/rows?ids=${report.id}`,
      `/e/${event.slug}/incidents`,
    ];
    for (const path of paths) expect([path, (await as.get(path)).status]).toEqual([path, 200]);
    for (const path of [`${MINE}/pins/${report.id}`, `${MINE}/unread/${report.id}`])
      expect([path, (await as.delete(path)).status]).toEqual([path, 204]);
    expect((await as.get(`${MINE}/jump?search=${report.id}`)).body.incidents).toEqual([]);
    expect(await listPending(person)).toEqual([event.slug]);
    expect((await as.get(`${INCIDENTS}?event=${event.slug}`)).status).toBe(200);
    expect((await as.get(`${MINE}/jump?search=${report.id}`)).body.incidents).toHaveLength(1);
  });

  test("with incidents that the person can't see, so that a hidden one doesn't show", async () => {
    const person = await invite("Responder", event, otherEvent);
    const hidden: ReportRecord = await world.report(maya, event);
    const readers = `/api/events/${event.id}/incidents/${hidden.id}/readers`;
    const excluded = await world.as(ada).put(`${readers}/${person.id}`, { access: "none" });
    expect(excluded.status, excluded.text).toBe(200);
    const as = world.as(person);
    for (const incidentId of [hidden.id, UNKNOWN_ID, otherReport.id])
      for (const path of [`${MINE}/pins`, `${MINE}/unread`])
        expectRefusal(await as.post(path, { incidentId, eventId: event.id }), "404 NOT_FOUND");
    expectRefusal(await as.get(`${INCIDENTS}/export?ids=${hidden.id}`), "404 NOT_FOUND");
    expect((await as.get(`${INCIDENTS}/marks?ids=${hidden.id}`)).body.marks).toEqual([]);
    expect((await listPending(person)).toSorted()).toEqual([event.slug, otherEvent.slug].toSorted());
  });

  test("not at all, if the role is removed in the meantime: the list is refused, and the next one is without it", async () => {
    const person = await invite("Responder", event);
    const list = () => world.as(person).get(`${INCIDENTS}?limit=100&event=${event.slug}`);
    const removal = "delete from event_roles where user_id = $1 and pending";
    expectRefusal(await runWhileLocked(removal, [person.id], list), "403 FORBIDDEN");
    expect((await list()).body.incidents).toEqual([]);
    expect(await countAcceptances(person)).toBe(0);
  });
});

describe("the activity of a person who hasn't accepted", () => {
  test("is hidden from the event's people until they do, and not from a SystemAdmin", async () => {
    const person = await invite("Responder", event);
    const mine = await world.report(maya, event);
    const state = { state: "acknowledged", notes: "Talked to the venue." };
    const path = `/api/events/${event.id}/incidents/${mine.id}/state`;
    expect((await world.as(person).patch(path, state)).status).toBe(200);
    await world.revoke(person, event);
    await world.invite(person, event, "Responder");
    expect((await world.as(person).delete(`${MINE}/invitations/${event.id}`)).status).toBe(204);
    await world.invite(person, event, "Responder");

    const read = async (reader: TestPerson) => {
      const as = world.as(reader);
      const find = (list: { id: string; lastActivity: string | null }[]) =>
        list.find(({ id }) => id === person.id)?.lastActivity;
      const activity = (await as.get(`${people}/${person.id}/activity`)).body;
      return {
        dates: [
          find((await as.get(`${people}?search=Strange&limit=100`)).body.users),
          find((await as.get(`/api/events/${event.id}/users`)).body.users),
          (await as.get(`${people}/${person.id}`)).body.lastActivity,
        ],
        did: new Set(activity.activities.map(({ title }: { title: string }) => title)).size,
        totals: [activity.total, activity.pagination.total],
      };
    };
    const { dates, did, totals } = await read(sam);
    const everything = { dates: [expect.any(String), expect.any(String), expect.any(String)], did: 3 };
    expect({ dates, did }).toEqual(everything);
    expect(await read(ada)).toEqual({ dates: [null, null, null], did: 0, totals: [0, 0] });
    const page = await world.as(ada).get(`/e/${event.slug}/team/${person.id}`);
    expect([page.status, page.text.includes(mine.title)]).toEqual([200, false]);

    await world.as(person).post(`${MINE}/invitations/${event.id}/accept`);
    const afterwards = await read(ada);
    expect({ dates: afterwards.dates, did: afterwards.did }).toEqual(everything);
    expect(afterwards.totals).toEqual(totals.map((total: number) => total + 1));
    expect((await world.as(ada).get(`/e/${event.slug}/team/${person.id}`)).text).toContain(mine.title);
  });
});

describe("a token", () => {
  test("accepts no invitation, whatever it reads, and sees nothing of the event", async () => {
    const person = await invite("Responder", event);
    const wanted = { name: "Poller", scope: "write", currentPassword: PASSWORD };
    const { token } = (await world.as(person).post(`${MINE}/tokens`, wanted)).body;
    const program = heed.visitor();
    const headers = { authorization: `Bearer ${token}` };
    const list = await program.get(`${INCIDENTS}?limit=100`, { headers });
    expect([list.status, list.text.includes(report.id)]).toEqual([200, false]);
    for (const path of [`${INCIDENTS}?event=${event.slug}`, `${MINE}/pins?eventId=${event.id}`])
      expect((await program.get(path, { headers })).text).not.toContain(report.id);
    const inside = await program.get(`/api/events/${event.id}/incidents`, { headers });
    expectRefusal(inside, "403 FORBIDDEN");
    expect([await listPending(person), await countAcceptances(person)]).toEqual([[event.slug], 0]);
    // In a session the role counts, and the call accepts it.
    expect((await world.as(person).get(`${INCIDENTS}?limit=100`)).text).toContain(report.id);
    expect(await listPending(person)).toEqual([]);
    expect((await program.get(`${INCIDENTS}?limit=100`, { headers })).text).toContain(report.id);
  });
});
