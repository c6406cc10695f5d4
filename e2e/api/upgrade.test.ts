import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { dropDatabase } from "#e2e/support/database.ts";
import { startProcess } from "#e2e/support/process.ts";
import { openTestPool } from "#e2e/support/test-pool.ts";
import { migrate, MIGRATIONS_FOLDER } from "#lib/database/migrate.ts";

/** A database with data in it, which a later version upgrades. */

const LATER = "99991231235959_later";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-upgrade-"));
const server = process.env.DATABASE_URL ?? "";
const name = `upgrade_${randomBytes(6).toString("hex")}`;
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
const settings = { DATABASE_URL: url, HEED_DATA_DIR: path.join(folder, "data"), PORT: "0" };

const client = new pg.Client({ connectionString: server });
await client.connect();
await client.query(`create database ${name}`).finally(() => client.end());
const pool = openTestPool(url, 1);

afterAll(async () => {
  await pool.end();
  await dropDatabase(server, name);
  fs.rmSync(folder, { recursive: true, force: true });
});

/**
 * Every row of every table, without what the later version adds, and without the counters: which of their rows hold a
 * number depends on the connection.
 */
async function readContents(): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('_prisma_migrations', 'incident_counts') order by 1",
  );
  const contents: Record<string, string[]> = {};
  for (const { name: table } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select (to_jsonb(t) - 'later')::text as row from ${table} t order by 1`,
    );
    contents[table] = rows.map(({ row }) => row);
  }
  return contents;
}

test("data that the service wrote goes through a later migration, and the service before refuses to start", async () => {
  const filled = await spawnProjectCommand("demo", [], settings);
  expect(filled.code, filled.output).toBe(0);
  expect(await (await startProcess(settings)).stop()).toBe(0);
  const before = await readContents();
  expect(before.incidents?.length).toBeGreaterThan(100);
  expect(before.audit_entries?.length).toBeGreaterThan(0);

  const newer = path.join(folder, "migrations");
  fs.cpSync(MIGRATIONS_FOLDER, newer, { recursive: true });
  fs.mkdirSync(path.join(newer, LATER));
  fs.writeFileSync(
    path.join(newer, LATER, "migration.sql"),
    "alter table incidents add column later text; update incidents set later = title;",
  );
  await migrate(url, () => {}, newer);
  expect(await readContents()).toEqual(before);
  const { rows } = await pool.query("select count(*)::int as n from incidents where later = title");
  expect(rows).toEqual([{ n: before.incidents?.length }]);

  const refused = await spawnProjectCommand("start", [], settings);
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining(LATER)]);
});
