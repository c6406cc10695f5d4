import { describe, expect, test } from "vitest";
import { Caller, ROWS } from "#e2e/api/routes.ts";
import { runWithoutBackgroundWork } from "#e2e/support/background-work.ts";
import { startService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** The cross-site guard lets every GET pass (contract 3.12), so none may write. It has a service of its own, where no job of other tests waits. */

const heed = await startService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

describe("reading", () => {
  test("writes nothing, whichever path is read", async () => {
    const reads = ROWS.filter((row) => row.method === "GET");
    const prepared = await Promise.all(
      reads.map(async (row) => ({ row, example: await row.example?.(world, "sam") })),
    );
    // Nothing listens at their addresses, and each try takes its time.
    await heed.sql("update webhooks set disabled_at = now() where disabled_at is null");
    await runWithoutBackgroundWork(async () => {
      const before = await everything();
      for (const { row, example = {} } of prepared) {
        const reply = await caller.call({ ...row, example: () => example }, "sam");
        expect(reply.status, `${row.path} ${reply.text}`).toBe(200);
      }
      const after = await everything();
      const changed = Object.keys(before).filter(
        (table) => JSON.stringify(after[table]) !== JSON.stringify(before[table]),
      );
      expect(changed).toEqual([]);
      expect(after).toEqual(before);
    });
  });

  /** Who looked is recorded, and so is when a session was last used. */
  const NOT_VIEWED = ["audit_chains", "audit_entries", "incident_access", "sessions"];

  /** What all the other tables hold. */
  const everything = async () => {
    const tables = await heed.sql<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' and tablename <> all ($1) order by 1",
      [NOT_VIEWED],
    );
    expect(tables.length).toBeGreaterThan(20);
    const dumps = tables.map(async ({ name }) => [
      name,
      await heed.sql(`select coalesce(jsonb_agg(to_jsonb(t) order by t::text), '[]') as rows from ${name} t`),
    ]);
    return Object.fromEntries(await Promise.all(dumps));
  };

  test("is not turned into something else by an override", async () => {
    const path = `/api/organizations/${(await world.newOrganization()).id}`;
    const before = await heed.rows("organizations");
    for (const headers of [
      { "x-http-method-override": "DELETE" },
      { "x-http-method": "DELETE" },
      { "x-method-override": "DELETE" },
    ])
      expect((await world.as(world.sam).get(path, { headers })).status).toBe(200);
    expect((await world.as(world.sam).get(`${path}?_method=DELETE`)).status).toBe(200);
    expect(
      (
        await world
          .as(world.sam)
          .post(path, { _method: "DELETE" }, { headers: { "x-http-method-override": "DELETE" } })
      ).status,
    ).toBe(405);
    expect(await heed.rows("organizations")).toBe(before);
  });
});
