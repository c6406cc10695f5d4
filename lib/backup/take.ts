import { Readable } from "node:stream";
import pg from "pg";
import packageFile from "../../package.json" with { type: "json" };
import type { Env } from "../env.ts";
import { KEY_COLUMNS } from "../files/key-columns.ts";
import { REMOVAL_LOCK } from "../advisory-locks.ts";
import type { Storage } from "../files/storage.ts";
import { ArchiveWriter, type Digest } from "./archive.ts";
import { keyMarks, readDataKey, sealKey } from "./keys.ts";
import { FORMAT, memberOf, type Manifest } from "./manifest.ts";
import { listTables, PLAIN_TEXT, readRows, readSequences } from "./tables.ts";

export type Source = {
  url: string;
  storage: Storage;
  env: Pick<Env, "dataDir" | "EVIDENCE_KEYS" | "BACKUP_PASSPHRASE">;
};

const PATIENCE = "5min";

/**
 * Writes database and files of one moment into an archive, while the service runs. In this order: the lock that keeps
 * stored files from being removed; one snapshot of all tables; the files that its rows name. A file is stored before
 * its row commits and removed after it is gone, so each of them is there.
 * @param file which must not be there yet
 * @throws Error when a file that a row names is missing, or the connection that holds the lock is lost
 */
export async function takeBackup(source: Source, file: string): Promise<Manifest> {
  const client = new pg.Client({
    connectionString: source.url,
    application_name: "heed-backup",
    keepAlive: true,
  });
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  client.on("error", () => lost.reject(new Error("The connection to the database was lost.")));
  await client.connect();
  try {
    await holdRemovals(client);
    const archive = new ArchiveWriter(file);
    try {
      const manifest = await Promise.race([fill(archive, client, source), lost.promise]);
      await archive.end();
      await noteBackup(client, manifest.takenAt);
      return manifest;
    } catch (error) {
      await archive.abandon();
      throw error;
    }
  } finally {
    await client.end().catch(() => {});
  }
}

/** From here on no file is removed; removals that are under way end first. The lock goes with the connection. */
async function holdRemovals(client: pg.Client): Promise<void> {
  await client.query(`set lock_timeout = '${PATIENCE}'`);
  try {
    await client.query("select pg_advisory_lock($1)", [REMOVAL_LOCK]);
  } catch (error) {
    if ((error as { code?: string }).code !== "55P03") throw error;
    throw new Error(
      "Another backup runs on this database, or many files are being removed. Try again later.",
      {
        cause: error,
      },
    );
  }
}

async function fill(archive: ArchiveWriter, client: pg.Client, source: Source): Promise<Manifest> {
  const snapshot = await readDatabase(archive, client);
  const files: Manifest["files"] = [];
  for (const key of snapshot.keys) files.push({ key, ...(await addFile(archive, source.storage, key)) });
  const sealed = await addKey(archive, source.env);
  const { keys: _, ...database } = snapshot;
  const manifest: Manifest = {
    format: FORMAT,
    version: packageFile.version,
    ...database,
    files,
    keys: { ...keyMarks(source.env), sealed },
  };
  await archive.add("manifest.json", Readable.from([Buffer.from(JSON.stringify(manifest))]));
  return manifest;
}

type Snapshot = Pick<Manifest, "takenAt" | "migrations" | "tables" | "sequences"> & { keys: string[] };

/** Everything of one snapshot. It is let go before the files are copied, so that a long copy holds up no vacuum. */
async function readDatabase(archive: ArchiveWriter, client: pg.Client): Promise<Snapshot> {
  await client.query(`${PLAIN_TEXT}; begin isolation level repeatable read read only`);
  const {
    rows: [moment],
  } = await client.query<{ at: Date }>("select now() as at");
  const migrations = await appliedMigrations(client);
  const keys = await namedFiles(client);
  const tables: Manifest["tables"] = [];
  for (const table of await listTables(client)) {
    let rows = 0;
    const counted = async function* () {
      for await (const line of readRows(client, table)) {
        rows += 1;
        yield Buffer.from(line);
      }
    };
    const digest = await archive.add(memberOf(table), Readable.from(counted()));
    tables.push({ name: table.name, rows, ...digest });
  }
  await client.query("commit");
  const sequences = await readSequences(client);
  return { takenAt: (moment?.at ?? new Date()).toISOString(), migrations, tables, sequences, keys };
}

async function appliedMigrations(client: pg.Client): Promise<Manifest["migrations"]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from public._prisma_migrations
     where finished_at is not null and rolled_back_at is null order by 1`,
  );
  return rows;
}

async function namedFiles(client: pg.Client): Promise<string[]> {
  const parts = KEY_COLUMNS.map(
    ([table, column]) => `select ${column} as key from ${table} where ${column} is not null`,
  );
  const { rows } = await client.query<{ key: string }>(`${parts.join(" union ")} order by 1`);
  return rows.map(({ key }) => key);
}

async function addFile(archive: ArchiveWriter, storage: Storage, key: string): Promise<Digest> {
  const { stream } = await storage.open(key).catch((error: unknown) => {
    throw new Error(`The file ${key}, which a row names, can't be read. The backup would not be whole.`, {
      cause: error,
    });
  });
  return archive.add(`files/${key}`, stream, false);
}

/** @returns whether there was a passphrase to seal it with */
async function addKey(archive: ArchiveWriter, env: Source["env"]): Promise<boolean> {
  const key = readDataKey(env);
  if (!env.BACKUP_PASSPHRASE || !key) return false;
  await archive.add("keys.json", Readable.from([Buffer.from(sealKey(key, env.BACKUP_PASSPHRASE))]));
  return true;
}

/** For the health page: when the last whole backup was taken. */
async function noteBackup(client: pg.Client, takenAt: string): Promise<void> {
  await client.query(
    `insert into installation_facts (key, value) values ('last-backup', $1)
     on conflict (key) do update set value = excluded.value, created_at = now()`,
    [takenAt],
  );
}
