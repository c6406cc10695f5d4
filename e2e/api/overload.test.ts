import pg from "pg";
import { expect, test } from "vitest";
import type { Reply } from "#e2e/support/client.ts";
import { startService } from "#e2e/support/service.ts";
import { runConcurrently, expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** More requests at once than the database connections can carry: each gets 200 or 503. */

const heed = await startService({
  HEED_PROCESSES: "1",
  DATABASE_POOL: "3",
  DATABASE_ACQUIRE_MS: "1000",
});
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization } = world;
// In the database: the service gives up here on a connection that takes longer than a second.
await heed.sql(
  "insert into incidents (event_id, title, description, reporter_id) values ($1, 'At the desk', 'It went on.', $2)",
  [event.id, maya.id],
);

const LISTS = [
  () => world.as(omar).get(`/api/events/${event.id}/incidents`, { failing: true }),
  () => world.as(maya).get("/api/users/me/incidents", { failing: true }),
  () => world.as(ada).get(`/api/events/slug/${event.slug}/incidents?search=desk`, { failing: true }),
  () => world.as(olga).get(`/api/organizations/${organization.id}/reports/insights`, { failing: true }),
];
const twoHundred = (hear: (reply: Reply) => void = () => {}) =>
  runConcurrently(200, async (index) => {
    const reply = await (LISTS[index % LISTS.length] as () => Promise<Reply>)();
    hear(reply);
    return reply;
  });

/** The database keeps every list waiting until it is told to go on. */
async function slowDown(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query("begin");
  await client.query("lock table incidents in access exclusive mode");
  return () => client.end();
}

function expectResponses(replies: Reply[]): void {
  for (const reply of replies) {
    if (reply.status === 200) continue;
    expectRefusal(reply, "503 SERVICE_UNAVAILABLE");
    expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
  }
}

/** Waits until each list is shown again: on a busy machine, a request may still be refused. */
async function expectRecovery(): Promise<void> {
  for (const ask of LISTS) await waitUntil("a list is shown", async () => (await ask()).status === 200);
  await waitUntil("the service is ready", async () => (await fetch(`${heed.url}/api/health/ready`)).ok);
}

test("of two hundred blocked lists those without a connection are refused quickly, and the service recovers", async () => {
  const goOn = await slowDown();
  let refused = 0;
  const responses = twoHundred(({ status }) => (refused += Number(status === 503)));
  // The three that have a connection keep it for ten seconds: were these waited for, it would take minutes.
  await waitUntil("a hundred refusals", () => refused >= 100, 90_000);
  await goOn();
  expectResponses(await responses);
  await expectRecovery();
});

test("two hundred concurrent lists succeed, and the service stays responsive", async () => {
  const replies = await twoHundred();
  expectResponses(replies);
  expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  await expectRecovery();
});
