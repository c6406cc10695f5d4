import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { ArchiveReader } from "#lib/backup/archive.ts";
import { readManifest } from "#lib/backup/manifest.ts";
import { restoreBackup } from "#lib/backup/restore.ts";
import { takeBackup } from "#lib/backup/take.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";
import { disconnectDatabase, prisma } from "#lib/database/client.ts";
import { connectClient } from "#lib/database/connections.ts";
import { migrate, migrateAndBlockRestores } from "#lib/database/migrate.ts";
import { env } from "#lib/env.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";

/** A restore that ends halfway leaves a database that nobody uses until another restore completes it. */

const { DATABASE_URL: url = "" } = process.env;
const settings = { DATABASE_URL: url, HEED_DATA_DIR: env().dataDir };
const UNFINISHED =
  "A restore of this database was interrupted. Run it again with --replace: npm run restore -- --from FILE --replace";

ensureSessionSecret(env());
const { id: eventId } = await createEvent((await createOrganization()).id);
const person = await createUser();
const { id: incidentId } = await createIncident({ eventId });
const addNotice = (daysAhead: number) =>
  prisma.retentionNotice.create({ data: { incidentId, daysAhead, dueOn: new Date() } });
await addNotice(7);
await addNotice(0);

const file = path.join(env().dataDir, "backup.zip");
const backUp = (to = file) =>
  takeBackup({ url, storage: getFileStorage(), env: env(), allowMissing: false }, to);
await backUp();
const archive = await ArchiveReader.open(file);
const manifest = await readManifest(archive);
afterAll(() => archive.close());

const database = new pg.Client({ connectionString: url });
await database.connect();
afterAll(() => database.end());

// A restore takes the connections of this process for a service.
beforeEach(disconnectDatabase);
afterEach(() => database.query(`alter database ${database.database} reset search_path`));

const restore = (from = archive, replace = true) =>
  restoreBackup(from, manifest, { url, storage: getFileStorage(), replace });

/** Ends the connection of a restore, as when its process is killed. */
const endRestore = () =>
  database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'heed-migrate'",
  );

/** The archive; a restore ends at its first table. */
const endingArchive = {
  open: async (name: string) => {
    if (!name.startsWith("tables/")) return archive.open(name);
    await endRestore();
    throw new Error("interrupted");
  },
} as ArchiveReader;

const INTERRUPTIONS = {
  "before its tables are there": async (replace: boolean) => {
    // Where no schema is named, the first migration fails.
    await database.query(`alter database ${database.database} set search_path = nowhere`);
    await expect(restore(archive, replace)).rejects.toThrow("no schema has been selected");
    await database.query(`alter database ${database.database} reset search_path`);
  },
  "before its rows are there": async (replace: boolean) => {
    await expect(restore(endingArchive, replace)).rejects.toThrow("interrupted");
  },
};

/** The start of a service, as far as the database is concerned. */
async function start(): Promise<void> {
  const end = await migrateAndBlockRestores(
    url,
    () => {},
    async () => {},
  );
  await end();
}

it.each(Object.entries(INTERRUPTIONS))(
  "a restore that ends %s leaves a database that a start, a service that runs on and a backup refuse, until it is run again",
  async (...[, interrupt]) => {
    await interrupt(true);
    const connect = () => connectClient(url, { applicationName: "heed-test", keepsRestoresAway: true });
    const upgrade = () => migrate(url, () => {});
    for (const use of [start, upgrade, connect, () => backUp(`${file}.torn`)])
      await expect(use()).rejects.toThrow(UNFINISHED);
    await expect(connect()).rejects.toMatchObject({ code: "57P03" });

    await restore();
    // Its rows are committed without the notices of deletions that the backup holds.
    expect(await listNotices()).toEqual([{ daysAhead: 0 }]);
    await start();
    await (await connect()).end();
    expect(await prisma.user.findMany({ select: { id: true } })).toEqual([{ id: person.id }]);
  },
);

it("a restore into an empty database that ends halfway leaves one that a start refuses", async () => {
  await database.query(
    "drop schema graphile_worker cascade; drop schema public cascade; create schema public",
  );
  await INTERRUPTIONS["before its rows are there"](false);
  await expect(start()).rejects.toThrow(UNFINISHED);
  await restore(archive, false);
  expect(await listNotices()).toEqual([{ daysAhead: 0 }]);
  await start();
});

const listNotices = () => prisma.retentionNotice.findMany({ select: { daysAhead: true } });

it("audit:anchor deletes the notices of deletions where the database was restored by other means, and only there", async () => {
  await addNotice(1);
  await addNotice(30);
  const anchored = await spawnProjectCommand("audit-anchor", [], settings);
  expect(anchored, anchored.output).toMatchObject({ code: 0 });
  expect(await listNotices()).toHaveLength(3);
  const declared = await spawnProjectCommand(
    "audit-anchor",
    ["--restored-from", "2026-05-04T09:30:00Z"],
    settings,
  );
  expect(declared, declared.output).toMatchObject({ code: 0 });
  expect(await listNotices()).toEqual([{ daysAhead: 0 }]);
});
