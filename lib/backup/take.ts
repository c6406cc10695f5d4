import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import type pg from "pg";
import packageFile from "../../package.json" with { type: "json" };
import type { Env } from "../env.ts";
import { KEY_COLUMNS } from "../files/key-columns.ts";
import { REMOVAL_LOCK } from "../advisory-locks.ts";
import { connectClient } from "../database-client.ts";
import type { Storage } from "../files/storage.ts";
import { ArchiveWriter, type Digest } from "./archive.ts";
import { keyMarks, readDataKey, sealKey } from "./keys.ts";
import { FORMAT, memberOf, type Manifest } from "./manifest.ts";
import { findsFiles, storageTrouble } from "./storage.ts";
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
 * @param file written over when it is there: what a backup left that was killed
 * @throws Error in plain words when a file that a row names is missing, when there is no data key, or when the connection
 *   that holds the lock is lost
 */
export async function takeBackup(source: Source, file: string): Promise<Manifest> {
  refuseWithoutKey(source.env);
  // Of what a restore has not finished, a backup would be whole in form and empty.
  const client = await connectClient(source.url, { applicationName: "heed-backup", keepsRestoresAway: true });
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  client.on("error", () => lost.reject(new Error("The connection to the database was lost.")));
  try {
    await refuseOthers(client);
    await holdRemovals(client);
    await findsFiles(source.storage);
    await rm(file, { force: true });
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

/** Whoever sealed with a key that isn't here would learn of it when it is too late. */
function refuseWithoutKey(env: Source["env"]): void {
  if (!readDataKey(env))
    throw new Error(
      `There is no secrets/data.key in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service, whose keys belong to the database.`,
    );
}

/** @throws Error in plain words when it isn't Heed's database, or can't be read */
async function refuseOthers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ ours: boolean; shut: string | null; role: string }>(
    `select to_regclass('public._prisma_migrations') is not null as ours, current_user as role,
      (select min(format('%I.%I', n.nspname, c.relname)) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p')
          and not (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select'))) as shut`,
  );
  const { ours, shut, role } = rows[0] ?? {};
  if (!ours)
    throw new Error("The database holds no tables of Heed. Set DATABASE_URL to the one of the service.");
  if (shut)
    throw new Error(`The role ${role} may not read ${shut}. Name the role of the service in DATABASE_URL.`);
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
  const { stream, size } = await storage.open(key).catch((error: unknown) => {
    throw unreadable(key, storageTrouble(error), error);
  });
  const broken = new Promise<never>((_, reject) =>
    stream.once("error", (error) => reject(unreadable(key, storageTrouble(error), error))),
  );
  const digest = await Promise.race([broken, archive.add(`files/${key}`, stream, false)]);
  if (digest.bytes !== size) throw unreadable(key, `it has ${size} bytes, of which ${digest.bytes} came`);
  return digest;
}

const unreadable = (key: string, why: string, cause?: unknown): Error =>
  new Error(`The file ${key}, which a row names, can't be read: ${why}. The backup would not be whole.`, {
    cause,
  });

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
