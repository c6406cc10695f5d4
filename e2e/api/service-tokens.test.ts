import { describe, expect, test } from "vitest";
import { MAILBOX_ROUTE_ROWS } from "#e2e/api/mailbox-rows.ts";
import { Caller, addRowTitles, ROWS } from "#e2e/api/routes.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  PAGINATION,
  checkRecord,
  checkText,
  checkTime,
  checkUuid,
} from "#e2e/support/shapes.ts";
import { UNKNOWN_ID, expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { PASSWORD, TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** Service tokens: made by an organization's admins, limited, recorded under their own name, revoked. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);
const { event, organization, maya, olga, sam, nobody } = world;

const TOKENS = `/api/organizations/${organization.id}/tokens`;
const make = (person: TestPerson, wanted: object = {}, path = TOKENS) =>
  world.as(person).post(path, { name: "Script", scope: "read", currentPassword: PASSWORD, ...wanted });
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const TOKEN = checkRecord({
  id: checkUuid,
  name: checkText,
  scope: checkExactly("read", "export"),
  event: checkNullable(checkRecord({ id: checkUuid, name: checkText, slug: checkText })),
  expiresAt: checkTime,
  lastUsedAt: checkNullable(checkTime),
  createdAt: checkTime,
});

/** An organization of its own with two events, whose only admin is Admin of both. */
async function newPlace(name: string) {
  const place = await world.newOrganization(name);
  const events = [await world.newEvent(place), await world.newEvent(place)] as const;
  const admin = await world.person(`Admin of ${name}`, {
    organization: [place, "org_admin"],
    events: [
      [events[0], "Admin"],
      [events[1], "Admin"],
    ],
  });
  return { place, events, admin, path: `/api/organizations/${place.id}/tokens` };
}

describe("creating a service token", () => {
  test("shows it once, stores its hash, and is audited", async () => {
    const { admin, path, place } = await newPlace("Making Guild");
    const reply = await make(admin, { name: "  Nightly  " }, path);
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { message: checkText, token: checkText, serviceToken: TOKEN });
    const { token, serviceToken } = reply.body;
    expect(token).toMatch(/^heed_service_[A-Za-z0-9_-]{43}$/);
    expect(serviceToken).toMatchObject({ name: "Nightly", scope: "read", event: null });
    expect(
      await heed.rows("service_tokens", "id = $1 and token_hash = sha256($2::bytea)", [
        serviceToken.id,
        token,
      ]),
    ).toBe(1);
    const listed = await world.as(admin).get(path);
    expectShape(listed.body, { tokens: checkList(TOKEN), pagination: PAGINATION });
    expect(listed.text).not.toContain(token);
    const [entry] = await heed.sql(
      "select chain, actor_id, data::text as data from audit_entries where object_id = $1",
      [serviceToken.id],
    );
    expect(entry).toMatchObject({ chain: place.id, actor_id: admin.id });
    expect(entry?.data).not.toMatch(/heed_|Nightly/);
  });

  test.each([
    { scope: "write" },
    { expiresInDays: 366 },
    { currentPassword: undefined },
    { currentPassword: "a loud river at noon" },
  ])("refuses %o", async (wanted) => {
    const before = await heed.rows("service_tokens");
    expectRefusal(await make(olga, { scope: "export", ...wanted }), "400 VALIDATION_ERROR");
    expect(await heed.rows("service_tokens")).toBe(before);
  });

  test("takes a session", async () => {
    const personal = await world
      .as(olga)
      .post("/api/users/me/tokens", { name: "Mine", scope: "write", currentPassword: PASSWORD });
    const service = await make(olga, { scope: "export" });
    for (const { token } of [personal.body, service.body])
      for (const [method, path, body] of [
        ["GET", TOKENS],
        ["POST", TOKENS, { name: "More", scope: "export", currentPassword: PASSWORD }],
        ["DELETE", `${TOKENS}/${service.body.serviceToken.id}`],
      ] as const)
        expectRefusal(await nobody.send(method, path, body, bearer(token)), "403 TOKEN_SCOPE");
  });

  test("that reads incidents requires the role Admin in each event that it covers", async () => {
    const { place, events, path } = await newPlace("Careful Guild");
    const partial = await world.person("Admin Without Events", {
      organization: [place, "org_admin"],
      events: [
        [events[0], "Admin"],
        [events[1], "Responder"],
      ],
    });
    const ask = (wanted: object) => make(partial, wanted, path);
    for (const wanted of [{}, { eventId: events[1].id }, { eventId: events[1].id, scope: "export" }])
      expectRefusal(await ask(wanted), "403 FORBIDDEN");
    for (const eventId of [UNKNOWN_ID, event.id]) expectRefusal(await ask({ eventId }), "404 NOT_FOUND");
    expect(await heed.rows("service_tokens", "organization_id = $1", [place.id])).toBe(0);
    for (const wanted of [{ eventId: events[0].id }, { scope: "export" }])
      expect((await ask(wanted)).status).toBe(201);
    expect((await make(sam, {}, path)).status).toBe(201);
  });
});

describe("using a service token", () => {
  test("reads its organization, and nothing of another", async () => {
    const { place, events, admin, path } = await newPlace("Reading Guild");
    const [first] = events;
    const own = await world.report(admin, first, { title: "OWN-MARKER title" });
    await world.as(admin).post(`/api/events/slug/${first.slug}/incidents/${own.id}/comments`, {
      visibility: "internal",
      body: "NOTE-MARKER",
    });
    const other = await world.report(maya, event, { title: "FOREIGN-MARKER title" });
    const { token } = (await make(admin, {}, path)).body;
    const of = (url: string) => nobody.get(url, bearer(token));
    for (const [url, marker] of [
      [`/api/events/${first.id}/incidents`, "OWN-MARKER"],
      [`/api/events/${first.id}/incidents/${own.id}`, "OWN-MARKER"],
      [`/api/events/slug/${first.slug}/incidents/${own.id}/comments`, "NOTE-MARKER"],
      [`/api/events/slug/${first.slug}/incidents/${own.id}/history`, "submitted"],
      ["/api/users/me/incidents", "OWN-MARKER"],
      [`/api/users/me/incidents/export?ids=${own.id}`, "OWN-MARKER"],
      [`/api/organizations/${place.id}/reports/export?format=csv`, "OWN-MARKER"],
      [`/api/organizations/${place.id}/events`, first.slug],
    ] as const) {
      const reply = await of(url);
      expect([url, reply.status]).toEqual([url, 200]);
      expect(reply.text, url).toContain(marker);
      expect(reply.text, url).not.toContain("FOREIGN-MARKER");
    }
    for (const url of [
      `/api/events/${event.id}/incidents`,
      `/api/events/${event.id}/incidents/${other.id}`,
      `/api/organizations/${organization.id}/reports/export?format=csv`,
      `/api/organizations/${organization.id}/events`,
    ])
      expectRefusal(await of(url), "403 FORBIDDEN", url);
    const foreign = await of(`/api/users/me/incidents/export?ids=${other.id}`);
    expectRefusal(foreign, "404 NOT_FOUND");
    const across = await of(`/api/users/me/incidents?event=${event.id}`);
    expect(across.body.incidents).toEqual([]);
  });

  test("for one event reads that event, and nothing else of the organization", async () => {
    const { place, events, admin, path } = await newPlace("One Event Guild");
    const [first, second] = events;
    const other = await world.report(admin, second, { title: "SECOND-MARKER title" });
    const { token } = (await make(admin, { eventId: first.id }, path)).body;
    const of = (url: string) => nobody.get(url, bearer(token));
    expect((await of(`/api/events/${first.id}/incidents`)).status).toBe(200);
    for (const url of [
      `/api/events/${second.id}/incidents`,
      `/api/events/${second.id}/incidents/${other.id}`,
      `/api/organizations/${place.id}/reports/export?format=csv`,
      `/api/organizations/${place.id}/events`,
    ])
      expectRefusal(await of(url), "403 TOKEN_SCOPE", url);
    for (const url of [`/api/events/${event.id}/incidents`, `/api/organizations/${organization.id}/events`])
      expectRefusal(await of(url), "403 FORBIDDEN", url);
    expect((await of("/api/users/me/incidents")).text).not.toContain("SECOND-MARKER");
  });

  test("for exports downloads exports, and reads nothing else", async () => {
    const { place, events, admin, path } = await newPlace("Exporting Guild");
    const [first] = events;
    const own = await world.report(admin, first, { title: "EXPORTED-MARKER title" });
    const whole = (await make(admin, { scope: "export" }, path)).body.token;
    const ofEvent = (await make(admin, { scope: "export", eventId: first.id }, path)).body.token;
    const exported = `/api/organizations/${place.id}/reports/export?format=csv`;
    const chosen = `/api/users/me/incidents/export?ids=${own.id}`;
    expect((await nobody.get(exported, bearer(whole))).text).toContain("EXPORTED-MARKER");
    expect((await nobody.get(chosen, bearer(ofEvent))).text).toContain("EXPORTED-MARKER");
    // A search of the texts would tell an organization's admin what reports say.
    for (const url of [chosen, "/api/users/me/incidents/export/matching"])
      expectRefusal(await nobody.get(url, bearer(whole)), "403 TOKEN_SCOPE", url);
    expectRefusal(await nobody.get(exported, bearer(ofEvent)), "403 TOKEN_SCOPE");
    for (const token of [whole, ofEvent])
      for (const url of [
        `/api/events/${first.id}/incidents/${own.id}`,
        "/api/users/me/incidents",
        `/api/organizations/${place.id}/reports/analytics`,
      ])
        expectRefusal(await nobody.get(url, bearer(token)), "403 TOKEN_SCOPE", url);
  });

  test("changes nothing, and has no access to a person's account", async () => {
    const events = await heed.sql<{ id: string }>("select id from events where organization_id = $1", [
      organization.id,
    ]);
    for (const { id } of events)
      await heed.sql(
        "insert into event_roles (event_id, user_id, role_name) values ($1, $2, 'Admin') on conflict do nothing",
        [id, olga.id],
      );
    const { token } = (await make(olga)).body;
    const reads = /\/(incidents|events|reports)(\/|$)/;
    const unidentified = MAILBOX_ROUTE_ROWS.map(({ path }) => path);
    await nobody.expectNothingWritten("a token that reads", async () => {
      for (const [name, row] of addRowTitles(ROWS)) {
        if (unidentified.includes(row.path) || row.who.includes("nobody")) continue;
        if (row.method === "GET" && reads.test(row.path)) continue;
        const reply = await nobody.send(row.method, caller.path(row), undefined, bearer(token));
        expectRefusal(reply, "403 TOKEN_SCOPE", name);
      }
    });
  });

  test("has no session of a person", async () => {
    const { admin, path, place } = await newPlace("Nameless Guild");
    const { token, serviceToken } = (await make(admin, { name: "Nightly" }, path)).body;
    expect((await nobody.get("/api/session", bearer(token))).body).toEqual({
      authenticated: false,
      serviceToken: {
        id: serviceToken.id,
        name: "Token: Nightly",
        scope: "read",
        organizationId: place.id,
        eventId: null,
      },
    });
    expectRefusal(await nobody.get("/api/users/me", bearer(token)), "403 TOKEN_SCOPE");
  });

  test("is recorded under its name, in the audit log and the access log, and isn't a reader for the reporter", async () => {
    const { place, events, admin, path } = await newPlace("Recording Guild");
    const reporter = await world.person("Watching Reporter", { events: [[events[0], "Reporter"]] });
    const own = await world.report(reporter, events[0]);
    const { token, serviceToken } = (await make(admin, { name: "Nightly" }, path)).body;
    await nobody.get(`/api/events/${events[0].id}/incidents/${own.id}`, bearer(token));
    await nobody.get(`/api/organizations/${place.id}/reports/export?format=csv`, bearer(token));
    expect((await world.as(admin).delete(`${path}/${serviceToken.id}`)).status).toBe(204);
    const actor = { id: serviceToken.id, name: "Token: Nightly", token: true };
    const log = await world.as(admin).get(`/api/organizations/${place.id}/audit?action=reports.export`);
    expect(log.body.entries[0]).toMatchObject({ actor, right: "token:read" });
    const access = `/api/events/slug/${events[0].slug}/incidents/${own.id}/access`;
    const { body } = await world.as(admin).get(access);
    expect(body.access.find(({ kind }: { kind: string }) => kind === "view")).toMatchObject({
      actor,
      right: "token:read",
    });
    expect(body.readers).toEqual([expect.objectContaining({ ...actor, views: 1 })]);
    expect((await world.as(reporter).get(access)).body).toMatchObject({ readBy: 0 });
  });
});

describe("the end of a service token", () => {
  test("comes when any admin of the organization revokes it, and nobody else can", async () => {
    const { place, admin, path, events } = await newPlace("Ending Guild");
    const second = await world.person("Second Admin", { organization: [place, "org_admin"] });
    const { token, serviceToken } = (await make(admin, {}, path)).body;
    const show = () => nobody.get(`/api/events/${events[0].id}/incidents`, bearer(token));
    expect((await world.as(olga).delete(`${path}/${serviceToken.id}`)).status).toBe(403);
    expectRefusal(await world.as(olga).delete(`${TOKENS}/${serviceToken.id}`), "404 NOT_FOUND");
    expect((await show()).status).toBe(200);
    expect((await world.as(second).delete(`${path}/${serviceToken.id}`)).status).toBe(204);
    expect((await show()).status).toBe(401);
    expect((await world.as(admin).get(path)).body.tokens).toEqual([]);
    expect((await world.as(second).delete(`${path}/${serviceToken.id}`)).status).toBe(404);
  });

  test("comes when it expires, and with the organization", async () => {
    const { place, admin, path, events } = await newPlace("Expiring Guild");
    const [first, second] = [(await make(admin, {}, path)).body, (await make(admin, {}, path)).body];
    const show = (token: string) => nobody.get(`/api/events/${events[0].id}/incidents`, bearer(token));
    await heed.sql("update service_tokens set expires_at = now() - interval '1 second' where id = $1", [
      first.serviceToken.id,
    ]);
    expectRefusal(await show(first.token), "401 TOKEN_EXPIRED");
    expect((await show(second.token)).status).toBe(200);
    await heed.sql("delete from organizations where id = $1", [place.id]);
    expect((await show(second.token)).status).toBe(401);
    expect(await heed.rows("service_tokens", "organization_id = $1", [place.id])).toBe(0);
  });

  test("doesn't come when its creator leaves", async () => {
    const { admin, path, events } = await newPlace("Lasting Guild");
    const { token } = (await make(admin, {}, path)).body;
    await heed.sql("delete from users where id = $1", [admin.id]);
    expect((await nobody.get(`/api/events/${events[0].id}/incidents`, bearer(token))).status).toBe(200);
  });
});
