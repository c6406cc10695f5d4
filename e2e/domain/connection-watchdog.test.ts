import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { FreezableRelay } from "#e2e/support/freezable-relay.ts";
import { startConnectionWatchdog } from "#lib/database/connection-watchdog.ts";

const { way, url } = await FreezableRelay.open(process.env.DATABASE_URL ?? "");
const pool = new pg.Pool({ connectionString: url, pipeline: true, query_timeout: 60_000 });
pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
startConnectionWatchdog(pool, url);

afterAll(async () => {
  await pool.end();
  way.close();
});

it("lets a long statement continue while the database responds to others", async () => {
  const { rows } = await pool.query("select 'done' as said, pg_sleep(4)");
  expect(rows[0].said).toBe("done");
});

it("cuts connections to an unresponsive database, and reconnects when it is back", async () => {
  const client = await pool.connect();
  client.release();
  way.frozen = true;
  // Without the watchdog it would be the pool that gives up, with another message.
  await expect(pool.query("select 1")).rejects.toThrow(/terminated/);
  way.frozen = false;
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});
