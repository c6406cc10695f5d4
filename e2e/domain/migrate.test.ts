import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { dropDatabase } from "#e2e/support/database.ts";
import type { ArchiveReader } from "#lib/backup/archive.ts";
import type { BackupManifest } from "#lib/backup/manifest.ts";
import { restoreBackup } from "#lib/backup/restore.ts";
import type { FileStorage } from "#lib/files/storage/storage.ts";
import { migrate, MIGRATIONS_FOLDER } from "#lib/database/migrate.ts";
import { refuseUnsuitableDatabase } from "#lib/database/requirements.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/** Which databases a start refuses, and what a later migration meets. */

const url = process.env.DATABASE_URL ?? "";
const INIT = "00000000000000_init";
/** Of the first migration of 0.1.0, and of the one that development versions after it began with. */
const CHECKSUMS_BEFORE_1_0_0 = [
  "8aeff2e34d3303b9c054d9f508ea55cc3938273bb1d63feb94bcb38c60e135a0",
  "4e96840852c0904f7d6c508b35baa4a538703efc74e9ae8f7a26d325e771f656",
];
const LATER = "99991231235959_later";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-migrate-"));
const client = new pg.Client({ connectionString: url });
await client.connect();
const { rows: applied } = await client.query<{ name: string }>(
  "select migration_name as name from _prisma_migrations",
);

afterEach(async () => {
  const names = applied.map(({ name }) => name);
  await client.query("delete from _prisma_migrations where migration_name <> all($1)", [names]);
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

test("titles and names are sorted again when the database came to another version of ICU", async () => {
  const readVersion = async () => {
    const { rows } = await client.query<{ version: string; titles: number; names: number }>(
      `select collversion as version, pg_relation_filenode('incidents_event_title') as titles,
         pg_relation_filenode('users_name_order') as names
       from pg_collation where collname = 'title_order'`,
    );
    return rows[0];
  };
  const before = await readVersion();
  await start();
  expect(await readVersion()).toEqual(before);
  await client.query(`
    drop index incidents_event_title, users_name_order;
    drop collation title_order;
    create collation title_order (provider = icu, locale = 'und', version = '0');
    create index incidents_event_title on incidents (event_id, title collate title_order, id);
    create index users_name_order on users (name collate title_order, id)`);
  const outdated = await readVersion();
  await start();
  const after = await readVersion();
  expect(after?.version).toBe(before?.version);
  expect(after?.titles).not.toBe(outdated?.titles);
  expect(after?.names).not.toBe(outdated?.names);
});

test("a file that was changed after it was applied is refused", async () => {
  await start(addMigration("create table later ()"));
  await expect(start(addMigration("create table later (); select 1"))).rejects.toThrow(
    `The migration ${LATER} was changed after it was applied.`,
  );
});

test("a database that another chain of migrations made is refused as unknown, not as changed", async () => {
  await start(addMigration("create table later ()"));
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     values ('second', 'x', '20260101000000_another_chain', now(), 1)`,
  );
  await expect(start(addMigration("create table later (); select 1"))).rejects.toThrow(
    unknown("20260101000000_another_chain"),
  );
});

describe("of a database that can't be used, nothing is changed", () => {
  const name = `refused_${randomBytes(6).toString("hex")}`;
  const refusedUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href;

  afterEach(() => dropDatabase(url, name));

  /** Creates the database, runs `before` in it, and returns why a start refuses it; checks what it has then. */
  async function refuse(options: string, before = ""): Promise<string> {
    await client.query(`create database ${name} template template0 ${options}`);
    const refused = new pg.Client({ connectionString: refusedUrl });
    await refused.connect();
    try {
      await refused.query(before);
      const listed = await refused.query(CONTENTS);
      const reason = await migrate(refusedUrl, () => {}).then(
        () => "",
        (error: Error) => error.message,
      );
      expect((await refused.query(CONTENTS)).rows).toEqual(listed.rows);
      return reason;
    } finally {
      await refused.end();
    }
  }

  const CONTENTS = `
    select nspname, relname from pg_namespace n left join pg_class c on c.relnamespace = n.oid
    where nspname !~ '^pg_|information_schema' order by 1, 2`;

  test.each(CHECKSUMS_BEFORE_1_0_0)("with the tables of a version before 1.0.0 (%s)", async (checksum) => {
    const reason = await refuse(
      "",
      `create table _prisma_migrations (migration_name text, checksum text, finished_at timestamptz default now(),
         started_at timestamptz default now(), rolled_back_at timestamptz, logs text);
       insert into _prisma_migrations (migration_name, checksum)
       values ('${INIT}', '${checksum}'), ('20261125181234_urgent_reports', 'x')`,
    );
    expect(reason).toBe(
      "This database was made by a version of Heed before 1.0.0, which can't be upgraded. Nothing in it was changed: run the version that made it to read it. To start this version, name an empty database in DATABASE_URL, or without one another folder in HEED_DATA_DIR.",
    );
  });

  test.each(["SQL_ASCII", "LATIN1"])("with the encoding %s", async (encoding) => {
    expect(await refuse(`encoding '${encoding}' locale_provider libc locale 'C'`)).toMatch(
      new RegExp(
        `^The database at \\S+ has the encoding ${encoding}, .* LOCALE 'C.UTF-8' .* Check DATABASE_URL\\.$`,
      ),
    );
  });

  test("with a locale that knows no letters beyond ASCII", async () => {
    expect(await refuse("encoding 'UTF8' locale_provider libc locale 'C'")).toMatch(
      /^The database at \S+ has the locale C, .* LOCALE 'C.UTF-8' .* Check DATABASE_URL\.$/,
    );
  });
});

test.each(CHECKSUMS_BEFORE_1_0_0)(
  "a backup of a version before 1.0.0 is refused as such (%s)",
  async (checksum) => {
    const manifest = { version: "0.1.0", migrations: [{ name: INIT, checksum }] };
    const target = { url: "", storage: {} as FileStorage, replace: false };
    await expect(
      restoreBackup({} as ArchiveReader, manifest as unknown as BackupManifest, target),
    ).rejects.toThrow(
      "The backup holds a database that was made by a version of Heed before 1.0.0, which can't be upgraded. Nothing was changed: restore it with the version that made it.",
    );
  },
);

test("a server without pg_trgm is refused, and the package is named", async () => {
  // Found before the view of the same name.
  await client.query("create temporary table pg_available_extensions (name text)");
  await expect(refuseUnsuitableDatabase(client, url)).rejects.toThrow("the package postgresql-contrib");
  await client.query("drop table pg_available_extensions");
  await refuseUnsuitableDatabase(client, url);
});

test("the statement of docs/operating.md creates a database that a start uses", async () => {
  const text = fs.readFileSync(path.join(PROJECT_ROOT, "docs/operating.md"), "utf8");
  const [statement = ""] = /^CREATE DATABASE heed .*$/m.exec(text) ?? [];
  const name = `documented_${randomBytes(6).toString("hex")}`;
  await client.query(statement.replace("DATABASE heed", `DATABASE ${name}`));
  const documentedUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const documented = new pg.Client({ connectionString: documentedUrl });
  await documented.connect();
  try {
    await refuseUnsuitableDatabase(documented, documentedUrl);
    expect(statement).toContain("LOCALE 'C.UTF-8'");
  } finally {
    await documented.end();
    await dropDatabase(url, name);
  }
});
