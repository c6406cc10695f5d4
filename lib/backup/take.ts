import { once } from "node:events";
import { rm } from "node:fs/promises";
import { PassThrough, Readable } from "node:stream";
import type pg from "pg";
import type { Env } from "../env.ts";
import { REMOVAL_LOCK } from "#lib/database/advisory-locks.ts";
import { connectClient } from "#lib/database/connections.ts";
import { SealBroken, unseal } from "#lib/crypto/sealed-file.ts";
import { checkKeys } from "./key-marks.ts";
import type { Storage } from "#lib/files/storage/storage.ts";
import { evidenceKeys } from "#lib/crypto/secrets.ts";
import { VERSION } from "#lib/version.ts";
import { ArchiveWriter, digestOf, type Digest } from "./archive.ts";
import { EXIT } from "./exit-codes.ts";
import { keyMarks, readDataKey, sealKey } from "./keys.ts";
import { FORMAT, memberOf, type Manifest } from "./manifest.ts";
import { describeFile, isEvidence, listNamedFiles, type NamedFile } from "./named-files.ts";
import { findsFiles, MISSING, storageTrouble, storedKeys } from "./storage.ts";
import { listTables, PLAIN_TEXT, readRows, readSequences } from "./tables.ts";

export type Source = {
  url: string;
  storage: Storage;
  env: Pick<Env, "dataDir" | "EVIDENCE_KEYS" | "BACKUP_PASSPHRASE">;
  /** May the archive lack files that rows name? They are in its list, then. */
  allowMissing: boolean;
};

const PATIENCE = "5min";

/**
 * Writes database and files of one moment into an archive, while the service runs. In this order: the lock that keeps
 * stored files from being removed; one snapshot of all tables; the files that its rows name. A file is stored before
 * its row commits and removed after it is gone, so each of them should be there. Each is compared with its row.
 * @param file written over when it is there: what a backup left that was killed
 * @throws FilesMissing; Error in plain words when a file can't be read, when there is no data key, or when the connection
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
    await checkKeys(client, source.env);
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
  const { named, ...snapshot } = await readDatabase(archive, client);
  const missing = await missingFiles(source.storage, named);
  // Where every file is missing, it is this command that looks in the wrong place.
  const isElsewhere = missing.length === named.length;
  if (missing.length > 0 && !isElsewhere) await recordFaults(client, { missing, damaged: [] });
  if (missing.length > 0 && !source.allowMissing) throw new FilesMissing(missing);
  const gone = new Set(missing.map(({ key }) => key));
  const files: Manifest["files"] = [];
  const damaged: NamedFile[] = [];
  const keys = evidenceKeys(source.env);
  for (const file of named.filter(({ key }) => !gone.has(key))) {
    const { digest, isDamaged } = await addFile(archive, file, { storage: source.storage, keys });
    files.push({ key: file.key, ...digest });
    if (isDamaged) damaged.push(file);
  }
  if (!isElsewhere) await recordFaults(client, { missing, damaged }, snapshot.takenAt);
  const sealed = await addKey(archive, source.env);
  const manifest: Manifest = {
    format: FORMAT,
    version: VERSION,
    ...snapshot,
    files,
    missing: missing.map(faultyFile),
    damaged: damaged.map(faultyFile),
    keys: { ...keyMarks(source.env), sealed },
  };
  await archive.add("manifest.json", Readable.from([Buffer.from(JSON.stringify(manifest))]));
  return manifest;
}

const faultyFile = ({ key, part, id, incidentId }: NamedFile) => ({ key, part, id, incidentId });

/** Rows name files that are not in the storage, and nobody said to go on without them. */
export class FilesMissing extends Error {
  readonly exitCode = EXIT.missing;

  constructor(files: readonly NamedFile[]) {
    const list = files.map((file) => `  ${describeFile(file)}`).join("\n");
    const many = files.length === 1 ? "A file is" : `${files.length} files are`;
    super(
      `${many} missing, ${MISSING}:\n${list}\nNo backup was written. Put back what an earlier backup holds, or add --allow-missing to back up everything else.`,
    );
  }
}

/** Nothing is removed while the backup holds its lock, and files are stored before their rows. */
async function missingFiles(storage: Storage, named: readonly NamedFile[]): Promise<NamedFile[]> {
  const stored = await storedKeys(storage);
  return named.filter(({ key }) => !stored.has(key));
}

type Snapshot = Pick<Manifest, "takenAt" | "migrations" | "tables" | "sequences"> & { named: NamedFile[] };

/** Everything of one snapshot. It is let go before the files are copied, so that a long copy holds up no vacuum. */
async function readDatabase(archive: ArchiveWriter, client: pg.Client): Promise<Snapshot> {
  await client.query(`${PLAIN_TEXT}; begin isolation level repeatable read read only`);
  const {
    rows: [moment],
  } = await client.query<{ at: Date }>("select now() as at");
  const migrations = await appliedMigrations(client);
  const named = await listNamedFiles(client);
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
  return { takenAt: (moment?.at ?? new Date()).toISOString(), migrations, tables, sequences, named };
}

async function appliedMigrations(client: pg.Client): Promise<Manifest["migrations"]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from public._prisma_migrations
     where finished_at is not null and rolled_back_at is null order by 1`,
  );
  return rows;
}

type Added = { digest: Digest; isDamaged: boolean };

/** Copies a file, and compares it with what its row says on the way. */
async function addFile(
  archive: ArchiveWriter,
  { key, part, sha256 }: NamedFile,
  { storage, keys }: { storage: Storage; keys: readonly Buffer[] },
): Promise<Added> {
  const { stream, size } = await storage.open(key).catch((error: unknown) => {
    throw unreadable(key, storageTrouble(error), error);
  });
  const broken = new Promise<never>((_, reject) =>
    stream.once("error", (error) => reject(unreadable(key, storageTrouble(error), error))),
  );
  const sealed = part === "original" ? new PassThrough() : undefined;
  const opening = sealed && digestOfSealed(sealed, { name: key, keys });
  const content = sealed ? Readable.from(copied(stream, sealed), { objectMode: false }) : stream;
  const digest = await Promise.race([broken, archive.add(`files/${key}`, content, false)]);
  if (digest.bytes !== size) throw unreadable(key, `it has ${size} bytes, of which ${digest.bytes} came`);
  const found = opening ? await opening : digest.sha256;
  return { digest, isDamaged: sha256 !== null && found !== UNKNOWN_KEY && found !== sha256 };
}

/** Another machine may lack a key that the service has; the service's own check opens these. */
const UNKNOWN_KEY = "key unknown";

/** @returns SHA-256 of what was sealed, `UNKNOWN_KEY`, or what equals no SHA-256 where it can't be opened */
async function digestOfSealed(
  sealed: Readable,
  opening: { name: string; keys: readonly Buffer[] },
): Promise<string> {
  try {
    return (await digestOf(await unseal(sealed, opening))).sha256;
  } catch (error) {
    sealed.destroy();
    if (!(error instanceof SealBroken)) throw error;
    return error.code === "SEAL_KEY_UNKNOWN" ? UNKNOWN_KEY : error.code;
  }
}

/** Gives what comes, and writes it to the other stream as well, for as long as that one takes it. */
async function* copied(stream: Readable, other: PassThrough): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (!other.destroyed && !other.write(chunk))
      await Promise.race([once(other, "drain"), once(other, "close")]);
    yield chunk;
  }
  other.end();
}

const unreadable = (key: string, why: string, cause?: unknown): Error =>
  new Error(`The file ${key}, which a row names, can't be read: ${why}. The backup would not be whole.`, {
    cause,
  });

type Faults = { missing: readonly NamedFile[]; damaged: readonly NamedFile[] };

/**
 * Keeps what was found for the system page and the metrics.
 * @param takenAt where every file was read: what was known of before and is whole now is forgotten
 */
async function recordFaults(
  client: pg.Client,
  { missing, damaged }: Faults,
  takenAt?: string,
): Promise<void> {
  const found = [
    ...missing.filter(isEvidence).map(({ id, part }) => ({ id, part, fault: "missing" })),
    ...damaged.map(({ id, part }) => ({ id, part, fault: "damaged" })),
  ];
  const values = [JSON.stringify(found)];
  try {
    await client.query(RECORD, values);
    if (takenAt) await client.query(FORGET, [...values, takenAt]);
  } catch (error) {
    // A role that may only read, or a database that this version has not brought up to date yet.
    if (!["42501", "42P01"].includes((error as { code?: string }).code ?? "")) throw error;
  }
}

const FOUND =
  "jsonb_to_recordset($1::jsonb) as x(id uuid, part public.evidence_part, fault public.evidence_fault)";
const RECORD = `
  insert into public.evidence_problems as p (file_id, part, fault)
  select x.id, x.part, x.fault from ${FOUND} join public.related_files f on f.id = x.id
  on conflict (file_id, part) do update set fault = excluded.fault, checked_at = now()`;
const FORGET = `
  delete from public.evidence_problems p
  where p.checked_at < $2 and not exists (select from ${FOUND} where x.id = p.file_id and x.part = p.part)`;

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
