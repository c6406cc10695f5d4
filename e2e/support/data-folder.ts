import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHmac, hkdfSync } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type pg from "pg";
import {
  buildSpawnOptionsForSystemUser,
  createCluster,
  preparePostgresInstallation,
} from "#lib/database/embedded/installation.ts";
import {
  createOrReadSecret,
  loadEmbeddedDatabasePassword,
  ensureSessionSecret,
} from "#lib/crypto/secrets.ts";
import { readFileIfThere } from "./read-file-if-there.ts";
import { removeFolder } from "./remove-folder.ts";

/**
 * Finds out what the whole data folder reveals about the person behind an action, for the tests of anonymity: it
 * searches every row version with its transaction, the write-ahead log, the files and the log.
 */

/** A person, and the values that identify them: ids, addresses, and ids of their records. */
export type Candidate = { name: string; traces: string[] };

/** A place that names some of the candidates, but not all. */
export type Finding = { store: string; where: string; names: string[] };

/** A period: positions in the write-ahead log, times of the machine, and times of files, all times in ms. */
export type TimeWindow = {
  from: string;
  to: string;
  began: number;
  ended: number;
  filesBegan: number;
  filesEnded: number;
};

/** Creates a data folder whose database role may read the database files, like anyone who has the folder. */
export async function createDataFolder(): Promise<{ dataDir: string; remove(): void }> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-folder-"));
  ensureSessionSecret({ dataDir });
  createOrReadSecret({ dataDir }, "data");
  const installation = await preparePostgresInstallation(dataDir, () => {});
  await createCluster(installation, dataDir, loadEmbeddedDatabasePassword({ dataDir }));
  const { binFolder, databaseFolder, systemUser } = installation;
  const single = spawn(path.join(binFolder, "postgres"), ["--single", "-D", databaseFolder, "postgres"], {
    ...buildSpawnOptionsForSystemUser(systemUser),
    stdio: ["pipe", "ignore", "ignore"],
  });
  single.stdin?.end("ALTER ROLE heed SUPERUSER;\n");
  await once(single, "close");
  return {
    dataDir,
    remove: () => {
      for (const folder of [databaseFolder, dataDir]) removeFolder(folder);
    },
  };
}

export const readWalPosition = async (client: pg.Pool): Promise<string> =>
  (await client.query("select pg_current_wal_insert_lsn()::text as at")).rows[0].at;

/** Does the work, and returns the period that it took. */
export async function recordTimeWindow(client: pg.Pool, work: () => Promise<void>): Promise<TimeWindow> {
  const [from, began, filesBegan] = [await readWalPosition(client), Date.now(), readFileClock()];
  await work();
  return {
    from,
    to: await readWalPosition(client),
    began,
    ended: Date.now(),
    filesBegan,
    filesEnded: readFileClock(),
  };
}

/** Returns the time that a file gets which is written now: files have their own clock, which lags. */
function readFileClock(): number {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-clock-"));
  try {
    return fs.statSync(folder).mtimeMs;
  } finally {
    fs.rmdirSync(folder);
  }
}

const searchFormCache = new WeakMap<Candidate, Buffer[]>();

/** Lists the texts and bytes that identify a candidate in files and rows. */
function listSearchForms(candidate: Candidate): Buffer[] {
  const forms =
    searchFormCache.get(candidate) ??
    candidate.traces.flatMap((trace) => {
      const hex = trace.replaceAll("-", "");
      const isUuid = /^[0-9a-f]{32}$/.test(hex);
      return [Buffer.from(trace), ...(isUuid ? [Buffer.from(hex, "hex"), Buffer.from(hex)] : [])];
    });
  searchFormCache.set(candidate, forms);
  return forms;
}

const listNamedCandidates = (bytes: Buffer, candidates: Candidate[]): string[] =>
  candidates
    .filter((one) => listSearchForms(one).some((form) => bytes.includes(form)))
    .map(({ name }) => name);

/** Keeps the findings that distinguish candidates. */
const filterDistinguishing = (findings: Finding[], candidates: Candidate[]): Finding[] =>
  findings.filter(({ names }) => names.length > 0 && names.length < candidates.length);

/**
 * Finds candidates in everything that each transaction of the window wrote or locked: row versions that still exist,
 * dead ones included, and records of the write-ahead log.
 */
export async function searchTransactions(
  client: pg.Pool,
  { from, to }: TimeWindow,
  candidates: Candidate[],
): Promise<Finding[]> {
  await client.query("create extension if not exists pageinspect");
  await client.query("create extension if not exists pg_walinspect");
  const versions = await readRowVersions(client);
  const byPlace = new Map(versions.map((one) => [`${one.relation} ${one.place}`, one]));
  const ofXid = new Map<string, { rows: Set<string>; wal: Set<string> }>();
  const entry = (xid: string) => {
    const transaction = ofXid.get(xid) ?? { rows: new Set(), wal: new Set() };
    ofXid.set(xid, transaction);
    return transaction;
  };
  const records = (await client.query<WalRecord>(WAL_RECORDS_SQL, [from, to])).rows;
  const withOldBlock = new Set(records.filter(({ block }) => block === 1).map(({ record }) => record));
  const xids = new Set(records.map(({ xid }) => xid));
  for (const { relation, data, xmin, xmax } of versions)
    for (const xid of [xmin, xmax].filter((one) => xids.has(one)))
      for (const name of listNamedCandidates(data, candidates)) entry(xid).rows.add(`${name}\n${relation}`);
  for (const one of records) {
    const { xid, relation, data } = one;
    const touched = parseRowPlaces(one, withOldBlock.has(one.record)).map(
      (place) => byPlace.get(`${relation} ${place}`)?.data ?? Buffer.alloc(0),
    );
    for (const name of listNamedCandidates(Buffer.concat([data, ...touched]), candidates))
      entry(xid).wal.add(`${name}\n${relation}`);
  }
  const findings = [...ofXid].flatMap(([xid, { rows, wal }]) =>
    Object.entries({ "row versions": rows, "write-ahead log": wal }).map(([store, found]) => {
      const pairs = [...found].map((pair) => pair.split("\n"));
      const names = [...new Set(pairs.map(([name = ""]) => name))];
      const where = [...new Set(pairs.map(([, relation]) => relation))].join(", ");
      return { store, where: `transaction ${xid}: ${where}`, names };
    }),
  );
  return filterDistinguishing(findings, candidates);
}

type RowVersion = { relation: string; place: string; data: Buffer; xmin: string; xmax: string };

/** Reads every row version of our tables, including dead ones. */
async function readRowVersions(client: pg.Pool): Promise<RowVersion[]> {
  const { rows: tables } = await client.query<{ name: string; relation: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name, c.relname as relation
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'graphile_worker')`);
  const found: RowVersion[] = [];
  for (const { name, relation } of tables) {
    const { rows } = await client.query(
      `select '(' || b || ',' || i.lp || ')' as place, i.t_data as data, i.t_xmin::text as xmin, i.t_xmax::text as xmax
       from generate_series(0, pg_relation_size($1::text::regclass) / 8192 - 1) b, heap_page_items(get_raw_page($1::text, b::int)) i
       where i.t_data is not null`,
      [name],
    );
    found.push(...rows.map((row) => ({ ...row, relation })));
  }
  return found;
}

/** A record of the write-ahead log, limited to one block of a table or index. */
type WalRecord = {
  xid: string;
  record: string;
  relation: string;
  /**
   * The block's number within the record. An update that moves a row to another block refers to the old block as number
   * 1.
   */
  block: number;
  page: string;
  data: Buffer;
  description: string;
};

/** Lists the rows that a record writes, changes or locks. For an update, the record holds only the new values. */
function parseRowPlaces({ block, page, description }: WalRecord, hasOldBlock: boolean): string[] {
  const offsets = [...description.matchAll(/(?:^|[ ,])(old_|new_)?off: (\d+)/g)];
  return offsets
    .filter(([, which]) => !hasOldBlock || (which === "old_") === (block === 1))
    .map(([, , offset]) => `(${page},${offset})`);
}

/** Leaves out the database's own statistics, which it computes from all rows of a table at any time. */
const WAL_RECORDS_SQL = `
  select b.xid::text as xid, b.start_lsn::text as record, coalesce(c.relname, '') as relation, b.block_id as block,
    b.relblocknumber::text as page, coalesce(b.block_data, '') as data, coalesce(i.description, '') as description
  from pg_get_wal_block_info($1::pg_lsn, $2::pg_lsn, true) b
  join pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn) i on i.start_lsn = b.start_lsn
  left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
  left join pg_namespace n on n.oid = c.relnamespace
  where b.xid::text <> '0' and n.nspname is distinct from 'pg_catalog'`;

/** Counts the rows of each table that name each candidate, and returns the tables in which the counts differ. */
export async function compareRowCounts(client: pg.Pool, candidates: Candidate[]): Promise<Finding[]> {
  const counts = new Map<string, Map<string, number>>();
  for (const { relation, data } of await readLiveRows(client))
    for (const name of listNamedCandidates(data, candidates)) {
      const ofTable = counts.get(relation) ?? new Map<string, number>();
      ofTable.set(name, (ofTable.get(name) ?? 0) + 1);
      counts.set(relation, ofTable);
    }
  return [...counts].flatMap(([relation, ofTable]) => {
    const numbers = candidates.map(({ name }) => ofTable.get(name) ?? 0);
    const usual = numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
    const names = candidates.filter((_, at) => numbers[at] !== usual).map(({ name }) => name);
    return names.length > 0 ? [{ store: "number of rows", where: relation, names }] : [];
  });
}

type LiveRow = { relation: string; data: Buffer };

async function readLiveRows(client: pg.Pool): Promise<LiveRow[]> {
  const { rows: tables } = await client.query<{ name: string; relation: string }>(`
    select format('%I.%I', schemaname, tablename) as name, tablename as relation from pg_tables
    where schemaname in ('public', 'graphile_worker')`);
  const found: LiveRow[] = [];
  for (const { name, relation } of tables) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    found.push(...rows.map(({ row }) => ({ relation, data: Buffer.from(row) })));
  }
  return found;
}

/**
 * Finds rows that hold a value derived from a candidate with the folder's keys: every keyed hash that the service
 * computes, of every text of the candidate.
 */
export async function searchHashes(
  client: pg.Pool,
  dataDir: string,
  candidates: (Candidate & { hashed: string[] })[],
): Promise<Finding[]> {
  const owners = new Map<string, string>();
  for (const key of deriveKeys(dataDir))
    for (const { name, hashed } of candidates)
      for (const text of hashed) {
        const hash = createHmac("sha256", key).update(text).digest();
        for (const form of [hash.toString("latin1"), hash.toString("base64url"), hash.toString("hex")])
          owners.set(form.slice(0, HASH_PREFIX_LENGTH), name);
      }
  const findings = (await readRowVersions(client)).map(({ relation, data }) => ({
    store: "keyed hashes",
    where: relation,
    names: findHashPrefixes(data).flatMap((start) => owners.get(start) ?? []),
  }));
  return filterDistinguishing(findings, candidates);
}

/** The number of characters or bytes that identify a hash, even a truncated one. */
const HASH_PREFIX_LENGTH = 16;

/** Lists everything that may be the beginning of a hash, as bytes or as text. */
function findHashPrefixes(data: Buffer): string[] {
  const text = data.toString("latin1");
  return Array.from({ length: Math.max(0, text.length - HASH_PREFIX_LENGTH + 1) }, (_, at) =>
    text.slice(at, at + HASH_PREFIX_LENGTH),
  );
}

/** Derives each purpose in the source with each key of the folder. */
function deriveKeys(dataDir: string): Buffer[] {
  const source = fs.globSync("lib/**/*.ts").map((file) => fs.readFileSync(file, "utf8"));
  const found = source.flatMap((text) => [
    ...text.matchAll(
      /(?:computeKeyedHash|computeSessionKeyedHash|computeHashWithKeyNotOnDisk|deriveKeyNotOnDisk)\(\s*"([^"]+)"/g,
    ),
  ]);
  const purposes = [...new Set(found.map(([, purpose = ""]) => purpose))];
  const secrets = ["session", "data", "database"].map((name) =>
    fs.readFileSync(path.join(dataDir, "secrets", `${name}.key`), "utf8").trim(),
  );
  return secrets.flatMap((secret) =>
    purposes.flatMap((purpose) =>
      ["", "shared:", "memory:"].map((kind) =>
        Buffer.from(hkdfSync("sha256", Buffer.from(secret, "base64url"), "", `heed:${kind}${purpose}`, 32)),
      ),
    ),
  );
}

/** Finds candidates in the names and contents of files outside the database that were written in the window. */
export function searchFiles(
  dataDir: string,
  { filesBegan, filesEnded }: TimeWindow,
  candidates: Candidate[],
): Finding[] {
  const names = fs
    .readdirSync(dataDir, { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith("postgres/"));
  const findings = names.flatMap((name) => {
    const file = path.join(dataDir, name);
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.mtimeMs < filesBegan || stat.mtimeMs > filesEnded) return [];
    const bytes = Buffer.concat([Buffer.from(name), readFileIfThere(file)]);
    return [{ store: "files", where: name, names: listNamedCandidates(bytes, candidates) }];
  });
  return filterDistinguishing(findings, candidates);
}

/**
 * Finds lines of the log from the window that name a candidate, and rows that hold the id of a logged request and name
 * a candidate.
 */
export async function searchLog(
  client: pg.Pool,
  lines: Record<string, unknown>[],
  candidates: Candidate[],
): Promise<Finding[]> {
  const named = lines.map((line) => ({
    store: "log",
    where: JSON.stringify(line),
    names: listNamedCandidates(Buffer.from(JSON.stringify(line)), candidates),
  }));
  const requests = new Set(lines.map(({ requestId }) => requestId).filter((id) => typeof id === "string"));
  const joined = (await readLiveRows(client)).flatMap(({ relation, data }) => {
    const request = [...requests].find((id) => data.includes(id));
    return request === undefined
      ? []
      : [
          {
            store: "request ids",
            where: `${relation} ${request}`,
            names: listNamedCandidates(data, candidates),
          },
        ];
  });
  return filterDistinguishing([...named, ...joined], candidates);
}
