import { describe, expect, test } from "vitest";
import { findOperationOfRow } from "#e2e/api/declared-operations.ts";
import { keepOnePerOperation } from "#e2e/api/declared-routes.ts";
import { type Role, ROLES } from "#e2e/api/roles.ts";
import { Caller, fillPath, addRowTitles, type Example, type Row, ROWS } from "#e2e/api/routes.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { can, type Actor, type Permission, type PermissionSubject } from "#lib/operation/policy.ts";

/**
 * The matrix of roles (contract 2): whom each row of the table names follows from its operation's permission, which is
 * asked without a request. Over HTTP, each operation is refused to a visitor, to whoever just may not, and to the other
 * tenant; successes.test.ts calls each path as somebody who may.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

const BROKEN = { raw: "{ this is no JSON", headers: { "content-type": "application/json" } };
const NOTHING = Object.fromEntries(
  Object.keys(caller.params).map((name) => [name, "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a"]),
);

const actors = new Map<Role, Actor | null>();
for (const role of ROLES) actors.set(role, role === "nobody" ? null : await findActorById(world[role].id));

const organization = { organizationId: world.organization.id };
const event = { ...organization, eventId: world.event.id };
const opened = { mailboxOf: caller.params.incidentId ?? "" };

/** What the path of a row names: one of maya's reports in it. */
function subjectOf({ path }: Row): PermissionSubject {
  if (/:(organizationId|orgSlug)\b/.test(path)) return organization;
  if (/:(eventId|slug)\b/.test(path)) return { ...event, reporterId: world.maya.id };
  return opened;
}

/** The roles that an operation's permission gives it to. */
const permittedBy = (permission: Permission, row: Row): Role[] =>
  ROLES.filter((role) => can(actors.get(role) ?? null, permission, subjectOf(row)));

/** Their permission is open to more, and the verb asks for the roles; so each of the others is refused over HTTP. */
const DECIDED_BY_VERB = [
  "POST /api/auth/logout",
  "POST /api/users/me/pins",
  "PATCH /api/users/me/notifications/:id/read",
  "DELETE /api/users/me/notifications/:id",
  "POST /api/people/:personId/name",
  "GET /api/users/me/incidents/neighbours",
  "GET /api/users/me/incidents/export",
  "POST /api/users/me/unread",
];
const isDecidedByVerb = ({ method, path }: Row): boolean => DECIDED_BY_VERB.includes(`${method} ${path}`);

test("the permission of each operation names whom the table names", () => {
  // The OpenAPI document is not in its own table.
  const rows = ROWS.map((row) => ({ row, operation: findOperationOfRow(row) })).filter(
    ({ row }) => row.path !== "/api/openapi.json",
  );
  const others = rows.filter(
    ({ row, operation }) => !operation || !isEqual(permittedBy(operation.can, row), row.who),
  );
  expect(others.map(({ row: { method, path } }) => `${method} ${path}`)).toEqual(DECIDED_BY_VERB);
});

const isEqual = (some: readonly Role[], others: readonly Role[]): boolean =>
  some.length === others.length && some.every((role) => others.includes(role));

/** From the one who may most. */
const BY_RIGHTS: readonly Role[] = ["ada", "omar", "olga", "viktor", "maya", "rita", "ines", "nora", "berta"];

const refusing = keepOnePerOperation(ROWS).filter(({ who }) => who.length < ROLES.length);

test.each(addRowTitles(refusing))("%s is refused", async (_, row) => {
  const prepared = await prepareLasting(row);
  const mayNot = ROLES.filter((role) => !row.who.includes(role));
  const nearest = BY_RIGHTS.find((role) => mayNot.includes(role));
  const some = mayNot.filter((role) => ["nobody", "bruno", nearest].includes(role));
  await world.nobody.expectNothingWritten("a refused role", async () => {
    for (const role of isDecidedByVerb(row) ? mayNot : some) await expectRefused(prepared, role);
  });
});

const lasting = new Map<Row, Promise<Row & { example: () => Example }>>();

/** Returns the row with one example for all requests that change nothing, made by who may. */
async function prepareLasting(row: Row): Promise<Row & { example: () => Example }> {
  const made = lasting.get(row) ?? caller.prepare(row, "ada");
  lasting.set(row, made);
  return made;
}

async function expectRefused(row: Row, role: Role): Promise<void> {
  const reply = await caller.call(row, role);
  const what = `${role}: ${reply.text}`;
  expect(role === "nobody" ? [401] : [403, 404], what).toContain(reply.status);
  expect(["UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND"], what).toContain(reply.body.code);
  if (role !== "nobody") return;
  // Without a session, absent and present look the same (contract 3.4).
  const absent = await world.nobody.send(row.method, caller.path(row, NOTHING));
  expect([absent.status, absent.body]).toEqual([401, reply.body]);
}

test("a stranger learns nothing from a body (contract 3.4)", async () => {
  const inContainers = ROWS.filter(
    ({ path, body, who }) =>
      body && !who.includes("nora") && /:(eventId|slug|organizationId|orgSlug)\b/.test(path),
  );
  expect(inContainers.length).toBeGreaterThan(50);
  await world.nobody.expectNothingWritten("a stranger", async () => {
    for (const [name, row] of addRowTitles(inContainers)) {
      const nobody = await world.nobody.send(row.method, caller.path(row), undefined, BROKEN);
      expect([nobody.status, nobody.body.code], name).toEqual([401, "UNAUTHENTICATED"]);
      const nora = await world.as(world.nora).send(row.method, caller.path(row), undefined, BROKEN);
      expect([nora.status, nora.body.code], name).toEqual([403, "FORBIDDEN"]);
    }
  });
});

describe("an incident", async () => {
  const inIncidents = ROWS.filter(({ path }) => /:(eventId|slug)\/incidents\/:incidentId\b/.test(path));
  const elsewhere = { eventId: world.otherEvent.id, slug: world.otherEvent.slug };
  const both = await world.person("Both Events", {
    events: [
      [world.event, "Admin"],
      [world.otherEvent, "Admin"],
    ],
  });
  const another = await world.report(world.maya, world.event);

  /** The row's example, made by who may, asked for by the Admin of both events in another place than its own. */
  const expectNotThere = async (row: Row, place: Record<string, string>) => {
    const { params, query, body } = (await prepareLasting(row)).example();
    const own = { ...caller.params, ...params };
    const before = await traces(own.incidentId ?? "");
    const path = fillPath(row.path, { ...own, ...place }, query);
    const reply = await world.as(both).send(row.method, path, body);
    expect([reply.status, reply.body?.code], reply.text).toEqual([404, "NOT_FOUND"]);
    expect(await traces(own.incidentId ?? "")).toEqual(before);
  };

  /** What is kept of an incident, and what hangs on it. */
  const traces = (id: string) =>
    heed.sql(
      `select row_to_json(i) as row from incidents i where id = $1
       union all (select row_to_json(h) from incident_history h where incident_id = $1 order by id)
       union all (select row_to_json(f) from related_files f where incident_id = $1 order by id)
       union all (select row_to_json(m) from messages m where conversation_id = $1 order by id)`,
      [id],
    );

  test.each(addRowTitles(inIncidents))("is found in its own event only by those in both: %s", (_, row) =>
    expectNotThere(row, elsewhere),
  );

  test.each(addRowTitles(inIncidents.filter(({ path }) => /:(fileId|commentId)\b/.test(path))))(
    "has its own files and comments only: %s",
    (_, row) => expectNotThere(row, { incidentId: another.id }),
  );
});
