import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, expect, test } from "vitest";
import { migrate, MIGRATIONS_FOLDER } from "#lib/database/migrate.ts";

/** Which databases a start refuses, and what a later migration meets. */

const url = process.env.DATABASE_URL ?? "";
const INIT = "00000000000000_init";
const LATER = "99991231235959_later";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-migrate-"));
const client = new pg.Client({ connectionString: url });
await client.connect();
const { rows: applied } = await client.query<{ name: string; checksum: string }>(
  "select migration_name as name, checksum from _prisma_migrations",
);

afterEach(async () => {
  const names = applied.map(({ name }) => name);
  await client.query("delete from _prisma_migrations where migration_name <> all($1)", [names]);
  for (const { name, checksum } of applied)
    await client.query("update _prisma_migrations set checksum = $2 where migration_name = $1", [
      name,
      checksum,
    ]);
  await client.query("drop table if exists later");
});

afterAll(async () => {
  await client.end();
  fs.rmSync(folder, { recursive: true, force: true });
});

const start = (migrations = MIGRATIONS_FOLDER) => migrate(url, () => {}, migrations);

/** The migrations of a version that has one more. */
function addMigration(sql: string): string {
  const migrations = fs.mkdtempSync(path.join(folder, "migrations-"));
  fs.cpSync(MIGRATIONS_FOLDER, migrations, { recursive: true });
  fs.mkdirSync(path.join(migrations, LATER));
  fs.writeFileSync(path.join(migrations, LATER, "migration.sql"), sql);
  return migrations;
}

const unknown = (name: string) =>
  `The database has the migration ${name}, which this version of Heed does not know. Start the version that made it, or a newer one.`;

test("a later migration is applied once, and the version before refuses the database", async () => {
  const newer = addMigration("create table later as select 1 as one");
  await start(newer);
  await start(newer);
  expect((await client.query("select * from later")).rows).toEqual([{ one: 1 }]);
  await expect(start()).rejects.toThrow(unknown(LATER));
});

test("a migration that fails leaves nothing behind, and is tried again", async () => {
  await expect(start(addMigration("create table later (); select 1/0"))).rejects.toThrow(
    `The migration ${LATER} failed and was undone: division by zero`,
  );
  expect((await client.query("select to_regclass('later') as later")).rows).toEqual([{ later: null }]);
  await start(addMigration("create table later as select 1 as one"));
});

test("titles are sorted again when the database came to another version of ICU", async () => {
  const readVersion = async () => {
    const { rows } = await client.query<{ version: string; node: number }>(
      `select collversion as version, pg_relation_filenode('incidents_event_title') as node
       from pg_collation where collname = 'title_order'`,
    );
    return rows[0];
  };
  const before = await readVersion();
  await start();
  expect(await readVersion()).toEqual(before);
  await client.query(`
    drop index incidents_event_title;
    drop collation title_order;
    create collation title_order (provider = icu, locale = 'und', version = '0');
    create index incidents_event_title on incidents (event_id, title collate title_order, id)`);
  const outdated = await readVersion();
  await start();
  const after = await readVersion();
  expect(after?.version).toBe(before?.version);
  expect(after?.node).not.toBe(outdated?.node);
});

test("a file that was changed after it was applied is refused", async () => {
  await client.query("update _prisma_migrations set checksum = 'x'");
  await expect(start()).rejects.toThrow(`The migration ${INIT} was changed after it was applied.`);
});

test("a database that another chain of migrations made is refused as unknown, not as changed", async () => {
  await client.query("update _prisma_migrations set checksum = 'x'");
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     values ('second', 'x', '00000000000001_counts_audit_search', now(), 1)`,
  );
  await expect(start()).rejects.toThrow(unknown("00000000000001_counts_audit_search"));
});
