import { describe, expect, test } from "vitest";
import { type Role, ROLES } from "#e2e/api/roles.ts";
import { Caller, fillPath, titleRows, type Row, ROWS } from "#e2e/api/routes.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** The matrix of roles: one test a cell (contract 2). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

describe.each(titleRows(ROWS))("%s", (_, row) => {
  // Where a password is hashed, three stand for all: nobody is asked for a role there.
  const roles: readonly Role[] = row.slow ? ["nobody", "nora", "sam"] : ROLES;
  const may = roles.filter((role) => row.who.includes(role));
  const mayNot = roles.filter((role) => !row.who.includes(role));

  if (may.length > 0)
    test.each(may)("%s is allowed", async (role) => {
      const reply = await caller.call(row, role);
      expect(reply.status, reply.text).toBe(row.status);
    });

  // One example for all roles, since a refused request leaves it as it is.
  let prepared: Promise<Row> | undefined;
  if (mayNot.length > 0)
    test.each(mayNot)("%s is refused", async (role) => {
      prepared ??= caller.prepare(row, role);
      const reply = await caller.call(await prepared, role);
      expect(role === "nobody" ? [401] : [403, 404], reply.text).toContain(reply.status);
      expect(["UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND"]).toContain(reply.body.code);
    });
});

describe("order of checks (contract 3.4)", () => {
  const inContainers = ROWS.filter(
    ({ path, body, who }) =>
      body && !who.includes("nora") && /:(eventId|slug|organizationId|orgSlug)\b/.test(path),
  );

  test.each(titleRows(inContainers))("%s: a stranger learns nothing from a body", async (_, row) => {
    const ask = { raw: "{ this is no JSON", headers: { "content-type": "application/json" } };
    const nobody = await world.nobody.send(row.method, caller.path(row), undefined, ask);
    expect([nobody.status, nobody.body.code]).toEqual([401, "UNAUTHENTICATED"]);
    const nora = await world.as(world.nora).send(row.method, caller.path(row), undefined, ask);
    expect([nora.status, nora.body.code]).toEqual([403, "FORBIDDEN"]);
  });

  test.each(titleRows(ROWS.filter((row) => !row.who.includes("nobody"))))(
    "%s: without a session, absent and present look the same",
    async (_, row) => {
      const present = await world.nobody.send(row.method, caller.path(row));
      const nothing = Object.fromEntries(
        Object.keys(caller.params).map((name) => [name, "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a"]),
      );
      const absent = await world.nobody.send(row.method, caller.path(row, nothing));
      expect(absent.status).toBe(401);
      expect(absent.body).toEqual(present.body);
    },
  );
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
    const { params, query, body } = (await row.example?.(world, "ada")) ?? {};
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
       union all (select row_to_json(m) from reporter_messages m where incident_id = $1 order by id)`,
      [id],
    );

  test.each(titleRows(inIncidents))("is found in its own event only by those in both: %s", (_, row) =>
    expectNotThere(row, elsewhere),
  );

  test.each(titleRows(inIncidents.filter(({ path }) => /:(fileId|commentId)\b/.test(path))))(
    "has its own files and comments only: %s",
    (_, row) => expectNotThere(row, { incidentId: another.id }),
  );
});
