import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Caller, ROWS, type Row } from "#e2e/api/routes.ts";
import type { Reply, RequestOptions } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";

/** Every `POST` that creates something takes effect once under its `Idempotency-Key` (contract 3.15). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);
const { ada, event, maya, olga, omar, organization } = world;

const title = ({ method, path }: Row) => `${method} ${path}`;
const under = (key: string): RequestOptions => ({ headers: { "idempotency-key": key } });
const replayed = ({ headers }: Reply) => headers["idempotent-replayed"];

/** These are in the tests of reports, conversations and intakes; the others do without a key, and the contract says why. */
const REPORTS =
  /\/(incidents|reports|anonymous-reports|intakes|intake\/confirmation)$|^\/api\/mailbox\/(messages|files)$/;
const WITHOUT_KEY = /^\/api\/auth\/register|\/people$/;
const NOT_CREATED = /\/roles$|\/webhooks\/:webhookId\/secret$/;
const KEYED = ROWS.filter(
  ({ method, path, status }) =>
    method === "POST" &&
    (status === 201 || NOT_CREATED.test(path)) &&
    !REPORTS.test(path) &&
    !WITHOUT_KEY.test(path),
);

test("the description names the header at exactly these endpoints, and at reports", async () => {
  const { body } = await heed.visitor().get("/api/openapi.json");
  const described = Object.entries<any>(body.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).flatMap(([method, { parameters = [] }]) =>
      parameters.some(({ name }: { name: string }) => name === "Idempotency-Key")
        ? [`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`]
        : [],
    ),
  );
  const reports = ROWS.filter(({ method, path }) => method === "POST" && REPORTS.test(path));
  expect(described.filter((path) => !path.includes(" /events/")).toSorted()).toEqual(
    [...KEYED, ...reports].map(title).toSorted(),
  );
});

describe("the same request sent again", () => {
  test.each(KEYED.map((row) => [title(row), row] as const))("%s gets the stored response", async (_, row) => {
    const role = caller.allowed(row);
    const person = await row.caller?.(world);
    const prepared = { ...(await caller.prepare(row, role)), ...(person && { caller: async () => person }) };
    const ask = under(randomUUID());
    const first = await caller.call(prepared, role, { ask });
    expect([first.status, replayed(first)], first.text).toEqual([row.status, undefined]);
    const countAudited = () => heed.rows("audit_entries", "by_right <> 'service'");
    const audited = await countAudited();
    const again = await caller.call(prepared, role, { ask });
    expect([again.status, replayed(again)], again.text).toEqual([row.status, "true"]);
    expect(again.text).toBe(first.text);
    expect(again.headers.location).toBe(first.headers.location);
    expect(await countAudited()).toBe(audited);
  });

  test("has the same response from another device and by the other path", async () => {
    const report = await world.report(maya, event);
    const ask = under(randomUUID());
    const path = (id: string) => `/incidents/${id}/comments`;
    const body = { body: "Once." };
    const first = await world.as(ada).post(`/api/events/${event.id}${path(report.id)}`, body, ask);
    const device = await world.device(ada);
    const slugPath = `/api/events/slug/${event.slug}${path(report.id.toUpperCase())}`;
    const again = await device.post(slugPath, body, ask);
    expect([again.text, replayed(again)]).toEqual([first.text, "true"]);
  });
});

test("a replay after the permission is lost is refused, without the stored response", async () => {
  const person = await world.person("Former Admin");
  await world.join(person, organization, "org_admin");
  const ask = under(randomUUID());
  const path = `/api/organizations/${organization.id}/webhooks`;
  const create = () =>
    world.as(person).post(path, { url: "https://example.org/hook", kinds: ["incident.created"] }, ask);
  const first = await create();
  expect(first.body.secret, first.text).toMatch(/^whsec_/);
  await heed.sql("update organization_members set role = 'org_viewer' where user_id = $1", [person.id]);
  const again = await create();
  expectRefusal(again, "403 FORBIDDEN");
  expect(again.text).not.toContain("whsec_");
});

test("a replay of a redelivery is refused once its incident was hidden from somebody", async () => {
  const path = `/api/organizations/${organization.id}/webhooks`;
  const wanted = { url: "https://example.org/redelivered", kinds: ["incident.created"] };
  const { id } = (await world.as(olga).post(path, wanted)).body.webhook;
  const { id: incidentId } = await world.report(maya, event);
  const deliveries = `${path}/${id}/deliveries`;
  const delivery = await waitUntil("the delivery", async () => {
    const listed = (await world.as(olga).get(deliveries)).body.deliveries;
    return listed.find(({ payload }: any) => payload.incidentId === incidentId);
  });
  const ask = under(randomUUID());
  const redeliver = () => world.as(olga).post(`${deliveries}/${delivery.id}/redeliver`, {}, ask);
  expect((await redeliver()).body.delivery.payload.incidentId).toBe(incidentId);
  expect(replayed(await redeliver())).toBe("true");
  const reader = `/api/events/${event.id}/incidents/${incidentId}/readers/${omar.id}`;
  expect((await world.as(maya).put(reader, { access: "none" })).status).toBe(200);
  const again = await redeliver();
  expectRefusal(again, "404 NOT_FOUND");
  expect(again.text).not.toContain(incidentId);
  await world.as(olga).delete(`${path}/${id}`);
});

describe("a stored response with a secret isn't returned", () => {
  test("once the webhook is gone", async () => {
    const path = `/api/organizations/${organization.id}/webhooks`;
    const wanted = { url: "https://example.org/gone", kinds: ["incident.created"] };
    const { id } = (await world.as(olga).post(path, wanted)).body.webhook;
    const ask = under(randomUUID());
    const first = await world.as(olga).post(`${path}/${id}/secret`, {}, ask);
    expect(first.body.secret, first.text).toMatch(/^whsec_/);
    await world.as(olga).delete(`${path}/${id}`);
    const again = await world.as(olga).post(`${path}/${id}/secret`, {}, ask);
    expectRefusal(again, "404 NOT_FOUND");
    expect(again.text).not.toContain("whsec_");
  });

  test("of a token for an event or an organization, once the role there is gone", async () => {
    const person = await world.person("Former Responder");
    for (const [part, id] of [
      ["eventId", event.id],
      ["organizationId", organization.id],
    ] as const) {
      await world.grant(person, event, "Responder");
      const ask = under(randomUUID());
      const wanted = { name: "Display", scope: "read", [part]: id, currentPassword: PASSWORD };
      const create = () => world.as(person).post("/api/users/me/tokens", wanted, ask);
      expect((await create()).body.token).toMatch(/^heed_/);
      await heed.sql("delete from event_roles where user_id = $1", [person.id]);
      const again = await create();
      expectRefusal(again, "404 NOT_FOUND", part);
      expect(again.text).not.toContain("heed_");
    }
  });

  test("of a service token that reads an event, once the role of its Admin is gone", async () => {
    const person = await world.person("Former event Admin");
    await world.join(person, organization, "org_admin");
    await world.grant(person, event, "Admin");
    const ask = under(randomUUID());
    const wanted = { name: "Reader", scope: "read", eventId: event.id, currentPassword: PASSWORD };
    const create = () => world.as(person).post(`/api/organizations/${organization.id}/tokens`, wanted, ask);
    expect((await create()).body.token).toMatch(/^heed_service_/);
    await heed.sql("delete from event_roles where user_id = $1", [person.id]);
    const again = await create();
    expectRefusal(again, "403 FORBIDDEN");
    expect(again.text).not.toContain("heed_service_");
  });
});
