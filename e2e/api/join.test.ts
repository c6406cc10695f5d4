import { describe, expect, test } from "vitest";
import {
  countOutcomes,
  summarizeResponse,
  runConcurrently,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { insertSecondFactor } from "#e2e/support/second-factor.ts";
import { shareService } from "#e2e/support/service.ts";
import { expectShape, INCIDENT } from "#e2e/support/shapes.ts";
import { PASSWORD, TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** Reporting at an event without an invite: joining it, and reports of people without a role (contract 6.7, 7.16). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, berta, nobody, nora, olga, organization, sam } = world;

const REPORT = { title: "Shouting at the registration desk", description: "It went on for a while." };
const ANONYMOUS = { ...REPORT, anonymous: true };

const joinPath = (of: { slug: string }) => `/api/events/slug/${of.slug}/join`;
const reportPath = (of: { slug: string }) => `/api/events/slug/${of.slug}/reports`;
const incidentsPath = (of: { slug: string }) => `/api/events/slug/${of.slug}/incidents`;

/** An event of ada's, which accepts reports from anyone with an account unless something else is said. */
async function newEvent(settings: Record<string, unknown> = {}): Promise<EventRef> {
  const made = await world.newEvent(organization);
  await world.grant(ada, made, "Admin");
  if (Object.keys(settings).length > 0) await change(made, settings);
  return made;
}

async function change(event: EventRef, settings: Record<string, unknown>): Promise<void> {
  const reply = await world.as(ada).patch(`/api/events/slug/${event.slug}/report-settings`, settings);
  expect(reply.status, reply.text).toBe(200);
}

const end = (event: EventRef) => world.as(ada).patch(`/api/events/slug/${event.slug}`, { isActive: false });

const rolesOf = async (person: TestPerson, event: EventRef): Promise<string[]> =>
  (await world.as(person).get(`/api/events/slug/${event.slug}/my-roles`)).body.roles;

const rowsOf = (event: EventRef) =>
  heed.sql(
    "select user_id, role_name::text as role, pending from event_roles where event_id = $1 and user_id <> $2",
    [event.id, ada.id],
  );

const auditOf = (event: EventRef, action: string) =>
  heed.sql(
    "select actor_id, by_right, object_id, data, request_id from audit_entries where event_id = $1 and action = $2",
    [event.id, action],
  );

describe("who may report", () => {
  test("are people with an account at a new event, as its public settings say", async () => {
    const event = await newEvent();
    const path = `/api/events/slug/${event.slug}/report-settings`;
    expect((await nobody.get(path)).body.reportSettings).toMatchObject({
      whoCanReport: "account",
      searchEngines: true,
    });
    await change(event, { whoCanReport: "invite", searchEngines: false });
    expect((await nobody.get(path)).body.reportSettings).toMatchObject({
      whoCanReport: "invite",
      searchEngines: false,
    });
  });
});

describe("joining", () => {
  test("makes the person a Reporter, once, with an audit entry that names them only as its actor", async () => {
    const event = await newEvent();
    const person = await world.person("Joining Person");
    for (let time = 1; time <= 2; time += 1) {
      const reply = await world.as(person).post(joinPath(event));
      expect([reply.status, reply.body]).toEqual([
        200,
        { message: "You are a member of this event.", roles: ["Reporter"] },
      ]);
    }
    expect(await rowsOf(event)).toEqual([{ user_id: person.id, role: "Reporter", pending: false }]);
    expect(await auditOf(event, "event.join")).toEqual([
      {
        actor_id: person.id,
        by_right: "self",
        object_id: event.id,
        data: { role: "Reporter" },
        request_id: expect.any(String),
      },
    ]);
  });

  test("works by id as well, and makes one role of ten requests at once", async () => {
    const event = await newEvent();
    const person = await world.person("Hasty Person");
    const replies = await runConcurrently(10, () => world.as(person).post(`/api/events/${event.id}/join`));
    expect(countOutcomes(replies)).toEqual({ "200": 10 });
    expect(await rowsOf(event)).toHaveLength(1);
    expect(await auditOf(event, "event.join")).toHaveLength(1);
  });

  test.each(["Reporter", "Responder", "Admin"] as const)(
    "leaves a %s as they are, also where the event is closed",
    async (role) => {
      const event = await newEvent({ whoCanReport: "invite" });
      const person = await world.person("Member Already", { events: [[event, role]] });
      const reply = await world.as(person).post(joinPath(event));
      expect([reply.status, reply.body.roles]).toEqual([200, [role]]);
      expect(await rowsOf(event)).toEqual([{ user_id: person.id, role, pending: false }]);
    },
  );

  test("accepts no invitation", async () => {
    const event = await newEvent();
    const person = await world.person("Invited Person");
    await world.invite(person, event, "Responder");
    expect((await world.as(person).post(joinPath(event))).body.roles).toEqual(["Responder"]);
    expect(await rowsOf(event)).toEqual([{ user_id: person.id, role: "Responder", pending: true }]);
  });

  test("is refused where people report by invite, and at an event that is over, with the reason", async () => {
    const byInvite = await newEvent({ whoCanReport: "invite" });
    const over = await newEvent();
    await end(over);
    for (const [event, details] of [
      [byInvite, "To report here with an account, you need an invite from this event."],
      [over, "This event is over. Only its members can still report with an account."],
    ] as const)
      for (const person of [nora, olga, berta, sam]) {
        const reply = await world.as(person).post(joinPath(event));
        expect([reply.status, reply.body.code, reply.body.details]).toEqual([403, "FORBIDDEN", details]);
        expect(await rolesOf(person, event)).toEqual([]);
      }
  });

  test("is for people of every tenant, and opens nothing but the event itself", async () => {
    const event = await newEvent();
    const of = await world.report(ada, event, { title: "What the team must not lose" });
    const person = await world.person("Of Elsewhere", {
      organization: [world.foreignOrganization, "org_admin"],
    });
    expect((await world.as(person).post(joinPath(event))).status).toBe(200);
    expect((await world.as(person).get(incidentsPath(event))).body.incidents).toEqual([]);
    expectRefusal(await world.as(person).get(`${incidentsPath(event)}/${of.id}`), "404 NOT_FOUND");
  });

  test("is for tokens that may write everywhere, and for no other", async () => {
    const [event, own] = [await newEvent(), await newEvent()];
    const person = await world.person("Person With Tokens", { events: [[own, "Reporter"]] });
    const make = async (body: Record<string, unknown>) => {
      const reply = await world
        .as(person)
        .post("/api/users/me/tokens", { name: "A program", currentPassword: PASSWORD, ...body });
      expect(reply.status, reply.text).toBe(201);
      return { headers: { authorization: `Bearer ${reply.body.token}` } };
    };
    const tokens = {
      read: await make({ scope: "read" }),
      event: await make({ scope: "write", eventId: own.id }),
      write: await make({ scope: "write" }),
    };
    for (const path of [joinPath(event), reportPath(event)])
      for (const token of [tokens.read, tokens.event])
        expect(
          summarizeResponse(await nobody.post(path, path.endsWith("join") ? undefined : ANONYMOUS, token)),
        ).toEqual([403, "TOKEN_SCOPE"]);
    expect(await rowsOf(event)).toEqual([]);
    expect(summarizeResponse(await nobody.post(joinPath(event), undefined, tokens.write))).toEqual([200]);
  });

  test("is refused to somebody whose role there waits for their second factor", async () => {
    const strict = await world.newOrganization("Strict organization");
    const event = await world.newEvent(strict);
    await heed.sql("update organizations set require_second_factor = true where id = $1", [strict.id]);
    const person = await world.person("Without Factor", { events: [[event, "Responder"]] });
    expectRefusal(await world.as(person).post(joinPath(event)), "403 SECOND_FACTOR_REQUIRED");
    await insertSecondFactor(world, person);
    expect((await world.as(person).post(joinPath(event))).body.roles).toEqual(["Responder"]);
  });
});

describe("a report of somebody without a role", () => {
  test("with their name makes them a Reporter in the same transaction, who then follows it", async () => {
    const event = await newEvent();
    const person = await world.person("First Reporter");
    const reply = await world
      .as(person)
      .post(reportPath(event), buildForm(REPORT, { name: "seen.txt", bytes: "What I saw." }));
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { incident: INCIDENT });
    const { incident } = reply.body;
    expect(incident).toMatchObject({
      ...REPORT,
      reporterId: person.id,
      relatedFiles: [{ filename: "seen.txt" }],
    });
    expect(await rolesOf(person, event)).toEqual(["Reporter"]);
    expect((await world.as(person).get(`${incidentsPath(event)}/${incident.id}`)).body.incident.id).toBe(
      incident.id,
    );
    const [joined] = await auditOf(event, "event.join");
    const [created] = await auditOf(event, "incident.create");
    expect(joined).toMatchObject({ actor_id: person.id, request_id: created?.request_id });
    // One transaction wrote both.
    const [{ same }] = (await heed.sql(
      "select count(distinct t.xmin::text)::int as same from (select xmin from event_roles where event_id = $1 and user_id = $2 union all select xmin from incidents where id = $3) t",
      [event.id, person.id, incident.id],
    )) as [{ same: number }];
    expect(same).toBe(1);
  });

  test("without their name adds no role and names them nowhere", async () => {
    const event = await newEvent();
    const person = await world.person("Nameless Person");
    const body = buildForm(
      { ...REPORT, anonymous: "true" },
      { name: "seen.jpg", bytes: await createPhoto() },
    );
    const reply = await world.as(person).post(reportPath(event), body);
    expect(reply.status, reply.text).toBe(201);
    const { incident } = reply.body;
    expect(incident).toMatchObject({
      ...REPORT,
      reporterId: null,
      reporter: null,
      contactMethod: "no_contact",
    });
    expect(await rowsOf(event)).toEqual([]);
    expect(await auditOf(event, "event.join")).toEqual([]);
    expect(await auditOf(event, "incident.create")).toMatchObject([
      { actor_id: null, by_right: "anonymous", request_id: null },
    ]);
    expect((await world.as(ada).get(`${incidentsPath(event)}/${incident.id}`)).text).not.toContain(person.id);
    const people = await world.as(ada).get(`/api/events/slug/${event.slug}/users`);
    expect(people.text).not.toContain(person.id);
    expectRefusal(await world.as(person).get(`${incidentsPath(event)}/${incident.id}`), "403 FORBIDDEN");
    expect((await world.as(person).get("/api/users/me/incidents")).body.incidents).toEqual([]);
  });

  test("that is refused adds no role", async () => {
    const event = await newEvent();
    const person = await world.person("Refused Person");
    const unusable = buildForm(REPORT, { name: "empty.bin", bytes: "\u0000\u0001\u0002" });
    for (const [body, status] of [
      [{ ...REPORT, title: "short" }, 400],
      [unusable, 415],
    ] as const)
      expect((await world.as(person).post(reportPath(event), body)).status).toBe(status);
    expect(await rowsOf(event)).toEqual([]);
    expect(await auditOf(event, "event.join")).toEqual([]);
  });

  test("is refused before its body is read where only members may report", async () => {
    const byInvite = await newEvent({ whoCanReport: "invite" });
    const over = await newEvent();
    await end(over);
    const ask = { raw: "{ this is no JSON", headers: { "content-type": "application/json" } };
    for (const event of [byInvite, over]) {
      const reply = await world.as(nora).post(reportPath(event), undefined, ask);
      expectRefusal(reply, "403 FORBIDDEN");
      expectRefusal(await world.as(nora).post(reportPath(event), ANONYMOUS), "403 FORBIDDEN");
      expect((await heed.sql("select 1 from incidents where event_id = $1", [event.id])).length).toBe(0);
    }
  });

  test("is a member's report where they are one already, and changes no role", async () => {
    const event = await newEvent({ whoCanReport: "invite" });
    const person = await world.person("Member Who Reports", { events: [[event, "Responder"]] });
    expect((await world.as(person).post(reportPath(event), REPORT)).status).toBe(201);
    expect(await rowsOf(event)).toEqual([{ user_id: person.id, role: "Responder", pending: false }]);
  });
});

describe("the organization's audit log", () => {
  test("shows its admins neither who joined nor who reported", async () => {
    const event = await newEvent();
    const person = await world.person("Unseen Reporter");
    await world.as(person).post(reportPath(event), REPORT);
    for (const actor of ["", `?actor=${person.id}`]) {
      const log = await world.as(olga).get(`/api/organizations/${organization.id}/audit${actor}`);
      expect(log.status).toBe(200);
      expect(log.text).not.toContain(person.name);
      expect(log.body.entries.some((one: { data: unknown }) => JSON.stringify(one).includes(person.id))).toBe(
        false,
      );
    }
    const all = (await world.as(olga).get(`/api/organizations/${organization.id}/audit?action=event.join`))
      .body.entries;
    expect(all[0]).toMatchObject({ action: "event.join", actor: null, requestId: null });
    const own = (await world.as(ada).get(`/api/events/${event.id}/audit?action=event.join`)).body.entries;
    expect(own).toMatchObject([{ action: "event.join", actor: { id: person.id } }]);
  });
});

describe("an event whose reports nobody can read", () => {
  const anonymousPath = (of: EventRef) => `/api/events/slug/${of.slug}/anonymous-reports`;
  const hasReader = async (of: EventRef) =>
    (await nobody.get(`/api/events/slug/${of.slug}/report-settings`)).body.reportSettings.hasReader;
  const count = (of: EventRef) => heed.rows("incidents", "event_id = $1", [of.id]);

  const WAYS: [string, (person: TestPerson, of: EventRef) => Promise<unknown>][] = [
    [
      "left",
      ({ id }, of) => heed.sql("delete from event_roles where event_id = $1 and user_id = $2", [of.id, id]),
    ],
    [
      "became a Reporter",
      ({ id }, of) =>
        heed.sql("update event_roles set role_name = 'Reporter' where event_id = $1 and user_id = $2", [
          of.id,
          id,
        ]),
    ],
    [
      "hasn't accepted the role",
      ({ id }, of) =>
        heed.sql("update event_roles set pending = true where event_id = $1 and user_id = $2", [of.id, id]),
    ],
    ["is disabled", ({ id }) => heed.sql("update users set disabled_at = now() where id = $1", [id])],
    [
      "lacks the second factor",
      (_, of) =>
        heed.sql(
          "update organizations set require_second_factor = true where id = (select organization_id from events where id = $1)",
          [of.id],
        ),
    ],
  ];

  test.each(WAYS)("accepts none from people without a role, where the last reader %s", async (way, lose) => {
    const own = await world.newOrganization("Unread House");
    const event = await world.newEvent(own);
    const reader = await world.person("Only Reader", { events: [[event, "Responder"]] });
    const reporter = await world.person("Only Reporter", { events: [[event, "Reporter"]] });
    expect(await hasReader(event)).toBe(true);
    await lose(reader, event);
    expect(await hasReader(event)).toBe(false);
    for (const reply of [
      await nobody.post(anonymousPath(event), REPORT),
      await world.as(nora).post(reportPath(event), REPORT),
      await world.as(nora).post(reportPath(event), ANONYMOUS),
      await world.as(nora).post(joinPath(event)),
    ])
      expectRefusal(reply, "409 EVENT_NOT_OPEN");
    expect(await count(event)).toBe(0);
    expect(await heed.rows("event_roles", "event_id = $1 and user_id = $2", [event.id, nora.id])).toBe(0);
    // A SystemAdmin needs the second factor that the organization requires (contract 2.8).
    const bySam = await world.as(sam).post(incidentsPath(event), REPORT);
    expect(summarizeResponse(bySam)).toEqual(
      way === "lacks the second factor" ? [403, "SECOND_FACTOR_REQUIRED"] : [201],
    );
    expect((await world.as(reporter).post(incidentsPath(event), REPORT)).status).toBe(201);
    expect((await world.as(reporter).post(reportPath(event), REPORT)).status).toBe(201);
    expect((await world.as(reporter).post(joinPath(event))).status).toBe(200);
  });

  test("shows neither a way to report nor a promise that somebody reads it", async () => {
    const event = await world.newEvent(organization);
    const form = `/e/${event.slug}/report?without=account`;
    const page = async (path: string) => (await nobody.get(path)).text;
    expect(await page(`/e/${event.slug}`)).not.toContain(`/e/${event.slug}/report`);
    expect(await page(form)).not.toContain("<textarea");
    await world.grant(ada, event, "Admin");
    expect(await page(`/e/${event.slug}`)).toContain(`/e/${event.slug}/report`);
    expect(await page(form)).toContain("<textarea");
  });
});
