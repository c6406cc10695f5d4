import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Reply } from "#e2e/support/client.ts";
import { LOCK_HOLDER, waitForBlockedStatements } from "#e2e/support/row-lock.ts";
import { waitBetweenFiveMinuteJobs } from "#e2e/support/period.ts";
import { shareService } from "#e2e/support/service.ts";
import { countOutcomes, runConcurrently, summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** Transactions that the database ends because of a deadlock are tried three times, and then nothing is stored. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization, sam } = world;

/** Those of the verbs below, which stand for all: every transaction is retried by one function (lib/database). */
const TABLES = ["event_roles", "incidents"];

const MAYBE = { failing: true, mayWrite: true } as const;
const ALWAYS = 1_000_000_000;
const members = `/api/organizations/${organization.id}/members`;
const roles = `/api/events/${event.id}/roles`;
const incidents = `/api/events/${event.id}/incidents`;

// What the service writes falls into a deadlock so many times, in one table or in any. A sequence counts, since no
// rollback takes it back.
beforeAll(async () => {
  await heed.sql(`
    create sequence deadlocks_met;
    create table deadlocks_wanted as select 0 as count, null::text as only_in;
    create function fall_into_deadlock() returns trigger language plpgsql as $$
    declare wanted deadlocks_wanted;
    begin
      select * into wanted from deadlocks_wanted;
      if wanted.count > 0 and current_setting('application_name') = 'heed'
        and coalesce(wanted.only_in, tg_table_name) = tg_table_name
        and nextval('deadlocks_met') <= wanted.count then
        raise exception 'deadlock detected' using errcode = 'deadlock_detected';
      end if;
      return null;
    end $$`);
  for (const table of TABLES)
    await heed.sql(
      `create trigger deadlock before insert or update or delete on ${table} execute function fall_into_deadlock()`,
    );
});
afterEach(() => meet(0));
// The other files of the worker write to the same database.
afterAll(async () => {
  // One at a time: a statement that locks them all could get into a real deadlock with what the service does by itself.
  for (const table of TABLES) await heed.sql(`drop trigger if exists deadlock on ${table}`);
  await heed.sql("drop function fall_into_deadlock");
  await heed.sql("drop table deadlocks_wanted");
  await heed.sql("drop sequence deadlocks_met");
  // Those that met deadlocks are due later and later, and other files wait for an empty outbox.
  await heed.sql("update outbox_events set due_at = now()");
  await waitUntil("an empty outbox", async () => (await heed.rows("outbox_events")) === 0, 60_000);
});

async function meet(count: number, onlyIn: string | null = null): Promise<void> {
  await heed.sql("select setval('deadlocks_met', 1, false)");
  await heed.sql("update deadlocks_wanted set count = $1, only_in = $2", [count, onlyIn]);
}

const met = async (): Promise<number> => {
  const [row] = await heed.sql<{ met: number }>(
    "select (last_value - 1 + is_called::int)::int as met from deadlocks_met",
  );
  return row?.met ?? 0;
};

describe("a transaction", () => {
  type ActionCase = [
    what: string,
    action: (person: TestPerson) => Promise<Reply>,
    table: string,
    where: string,
  ];

  /** Verbs of Prisma and of raw statements, and the rows that they leave. */
  const ACTIONS: ActionCase[] = [
    [
      "that gives a role",
      ({ id }) => world.as(ada).post(roles, { userId: id, roleName: "Responder" }, MAYBE),
      "event_roles",
      "user_id = $1",
    ],
    [
      "that files a report",
      ({ id }) => world.as(maya).post(incidents, { title: `Report of ${id}`, description: "d" }, MAYBE),
      "incidents",
      "title = 'Report of ' || $1::text",
    ],
  ];

  test.each(ACTIONS)(
    "%s is retried after two deadlocks, and takes effect once",
    async (_, action, table, where) => {
      const person = await world.person("Somebody");
      // A job writes to the table of incidents, and would be counted.
      await waitBetweenFiveMinuteJobs();
      await meet(2, table);
      const reply = await action(person);
      expect(reply.status, reply.text).toBeLessThan(300);
      expect(await met()).toBe(3);
      expect(await heed.rows(table, where, [person.id])).toBe(1);
    },
  );

  test.each(ACTIONS)(
    "%s gives up at the third deadlock, and stores nothing",
    async (_, action, table, where) => {
      const person = await world.person("Somebody");
      // A job writes to the table of incidents, and would be counted.
      await waitBetweenFiveMinuteJobs();
      await meet(ALWAYS, table);
      const reply = await action(person);
      expect(summarizeResponse(reply)).toEqual([503, "SERVICE_UNAVAILABLE"]);
      expect(reply.headers["retry-after"]).toBe("2");
      expect(await met()).toBe(3);
      expect(await heed.rows(table, where, [person.id])).toBe(0);
    },
  );
});

describe("locks in opposite orders", () => {
  test("held by somebody else end one of the two, and the request goes through", async () => {
    const before = await deadlocks();
    const viewer = await world.person("Some Viewer", { organization: [organization, "org_viewer"] });
    const reply = await crossed(viewer, () =>
      world.as(olga).put(`${members}/${viewer.id}`, { role: "org_admin" }, MAYBE),
    );
    expect(reply.status, reply.text).toBe(200);
    await world.as(sam).delete(`${members}/${viewer.id}`);
    await waitUntil("the deadlocks are counted", async () => (await deadlocks()) > before);
  });

  /** Holds the row that the request takes last, and then asks for those that it takes first. */
  async function crossed(viewer: TestPerson, ask: () => Promise<Reply>): Promise<Reply> {
    const other = new pg.Client({
      connectionString: process.env.DATABASE_URL,
      application_name: LOCK_HOLDER,
    });
    await other.connect();
    const take = (role: string, id: string) =>
      other.query(
        "select 1 from organization_members where organization_id = $1 and role = $2::organization_role and user_id = $3 for update",
        [organization.id, role, id],
      );
    try {
      await other.query("begin");
      await take("org_viewer", viewer.id);
      const responsePromise = ask();
      await waitForBlockedStatements();
      await take("org_admin", olga.id).catch(() => {});
      await other.query("rollback");
      return await responsePromise;
    } finally {
      await other.end();
    }
  }

  const deadlocks = async (): Promise<number> => {
    // The server counts them when it has nothing better to do.
    await sleep(1500);
    const [row] = await heed.sql<{ count: number }>(
      "select deadlocks::int as count from pg_stat_database where datname = current_database()",
    );
    return row?.count ?? 0;
  };

  test("of many requests leave each of them done, refused or to be sent again", async () => {
    const people = await runConcurrently(4, () =>
      world.person("Busy Person", {
        organization: [organization, "org_viewer"],
        events: [[event, "Reporter"]],
      }),
    );
    const reports = await runConcurrently(4, () => world.report(maya, event));
    const one = <T>(list: T[], index: number): T => list[index % list.length] as T;
    const backwards = <T>(list: T[], index: number): T => one(list.toReversed(), index);
    const put = (by: TestPerson, { id }: TestPerson, role: string) =>
      world.as(by).put(`${members}/${id}`, { role }, MAYBE);
    const pins = "/api/users/me/pins";
    const CROSSED: ((index: number) => Promise<Reply>)[] = [
      (index) => put(olga, one(people, index), one(["org_admin", "org_viewer"], index)),
      (index) => put(sam, backwards(people, index), one(["org_viewer", "org_admin"], index)),
      (index) => world.as(ada).post(roles, { userId: one(people, index).id, roleName: "Responder" }, MAYBE),
      (index) =>
        world.as(sam).delete(roles, { userId: backwards(people, index).id, roleName: "Responder" }, MAYBE),
      (index) => world.as(omar).post(pins, { incidentId: one(reports, index).id, eventId: event.id }, MAYBE),
      (index) => world.as(omar).delete(`${pins}/${backwards(reports, index).id}`, undefined, MAYBE),
      (index) =>
        world.as(ada).patch(`${incidents}/${one(reports, index).id}/state`, { state: "acknowledged" }, MAYBE),
      (index) =>
        world
          .as(omar)
          .patch(
            `/api/events/slug/${event.slug}/incidents/${backwards(reports, index).id}/title`,
            { title: `Title no. ${index}` },
            MAYBE,
          ),
    ];
    const replies = await runConcurrently(32, (index) =>
      one(CROSSED, index)(Math.floor(index / CROSSED.length)),
    );
    for (const { status, text } of replies)
      expect([200, 201, 204, 403, 404, 409, 503], text).toContain(status);
    const done = replies.filter(({ status }) => status < 300);
    expect(done.length, JSON.stringify(countOutcomes(replies))).toBeGreaterThan(16);
  });
});
