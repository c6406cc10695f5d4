import { describe, expect, test } from "vitest";
import { keepOnePerOperation } from "#e2e/api/declared-routes.ts";
import { type Role, ROLES, SIGNED_IN } from "#e2e/api/roles.ts";
import { Caller, fillPath, addRowTitles, type Example, type Row, ROWS } from "#e2e/api/routes.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** The matrix of roles: each role and each route (contract 2). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

/** Requests of our own pages, and of clients other than browsers, which the cross-site guard accepts (contract 3.12). */
const OWN: Record<string, string>[] = [
  { "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "none" },
  { origin: heed.url },
  { origin: `http://localhost:${heed.port}` },
  {},
];
const BROKEN = { raw: "{ this is no JSON", headers: { "content-type": "application/json" } };
const NOTHING = Object.fromEntries(
  Object.keys(caller.params).map((name) => [name, "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a"]),
);

/**
 * Some stand for all where nobody is asked for a role: where a password is hashed, which is slow, with the codes of
 * mailboxes, where a session is ignored, of the description of the API, which is long, and wherever each
 * person may who is signed in.
 */
function rolesFor(row: Row): readonly Role[] {
  if (row.slow) return ["nobody", "nora", "sam"];
  if (/^\/api\/(mailbox|openapi)\b/.test(row.path)) return ["nobody", "maya", "omar", "sam"];
  return SIGNED_IN.every((role) => row.who.includes(role))
    ? ["nobody", "nora", "maya", "olga", "sam"]
    : ROLES;
}

const firstPaths = new Set(keepOnePerOperation(ROWS));

describe.each(addRowTitles(ROWS))("%s", (_, row) => {
  const roles = rolesFor(row);
  const allowed = roles.filter((role) => row.who.includes(role));
  // Another path of the same operation: successes.test.ts calls each path as the first role, here the last one does.
  const may = firstPaths.has(row) ? allowed : allowed.slice(-1);
  const mayNot = roles.filter((role) => !row.who.includes(role));

  // Reading changes nothing: one example for all who may, unless it depends on who does.
  const isReadAlike = row.method === "GET" && (row.example?.length ?? 0) < 2;

  if (may.length > 0)
    test.each(may)("%s is allowed", async (role) => {
      const one = isReadAlike ? await prepareLasting(row) : row;
      // The guard knows no route, so each gets one of them.
      const ask = { headers: OWN[ROWS.indexOf(row) % OWN.length] ?? {} };
      const reply = await caller.call(one, role, { ask });
      expect(reply.status, `${JSON.stringify(ask)} ${reply.text}`).toBe(row.status);
    });

  if (mayNot.length > 0)
    test(`${mayNot.join(", ")} are refused`, async () => {
      const prepared = await prepareLasting(row);
      await world.nobody.expectNothingWritten("a refused role", async () => {
        for (const role of mayNot) await expectRefused(prepared, role);
      });
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
       union all (select row_to_json(m) from messages m where incident_id = $1 order by id)`,
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
