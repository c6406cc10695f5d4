import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHmac, hkdfSync } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type pg from "pg";
import {
  spawnOptionsForUser,
  createCluster,
  prepareInstallation,
} from "#lib/database/embedded/installation.ts";
import { createSecret, loadDatabasePassword, ensureSecrets } from "#lib/crypto/secrets.ts";

/**
 * What somebody who has the whole data folder can find out about who did something, for the tests of anonymity: every
 * version of every row with the transaction that wrote it, the write-ahead log, the files and the log.
 */

/** What leads to one person: ids, addresses, and ids of what is theirs. */
export type Candidate = { name: string; traces: string[] };

/** Something that names some of the candidates, and not all of them. */
export type Finding = { store: string; where: string; names: string[] };

/** A part of the time: positions in the write-ahead log, and times of the machine in ms. */
export type TimeWindow = { from: string; to: string; began: number; ended: number };

/** A new data folder, whose database lets its role look into the files, as everybody can who has them. */
export async function createDataFolder(): Promise<{ dataDir: string; remove(): void }> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-folder-"));
  ensureSecrets({ dataDir });
  createSecret({ dataDir }, "data");
  const installation = await prepareInstallation(dataDir, () => {});
  await createCluster(installation, dataDir, loadDatabasePassword({ dataDir }));
  const { binFolder, databaseFolder, systemUser } = installation;
  const single = spawn(path.join(binFolder, "postgres"), ["--single", "-D", databaseFolder, "postgres"], {
    ...spawnOptionsForUser(systemUser),
    stdio: ["pipe", "ignore", "ignore"],
  });
  single.stdin?.end("ALTER ROLE heed SUPERUSER;\n");
  await once(single, "close");
  return {
    dataDir,
    remove: () => {
      for (const folder of [databaseFolder, dataDir]) fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const readWalPosition = async (client: pg.Pool): Promise<string> =>
  (await client.query("select pg_current_wal_insert_lsn()::text as at")).rows[0].at;

const searchFormCache = new WeakMap<Candidate, Buffer[]>();

/** Texts and bytes by which a candidate is known in files and rows. */
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

/** Those findings that tell candidates apart. */
const filterDistinguishing = (findings: Finding[], candidates: Candidate[]): Finding[] =>
  findings.filter(({ names }) => names.length > 0 && names.length < candidates.length);

/**
 * Whoever is named by what each transaction of the window wrote, touched or locked: versions of rows that are there
 * still, dead ones included, and the records of the write-ahead log.
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
    const searchFormCache = ofXid.get(xid) ?? { rows: new Set(), wal: new Set() };
    ofXid.set(xid, searchFormCache);
    return searchFormCache;
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

/** Every version of every row of our tables, also those that nobody sees any more. */
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

/** A record of the write-ahead log, as far as it is about one block of a table or index. */
type WalRecord = {
  xid: string;
  record: string;
  relation: string;
  /** Its number within the record: an update that moves a row to another block has the old one as number 1. */
  block: number;
  page: string;
  data: Buffer;
  description: string;
};

/** The rows that a record writes, changes or locks: of an update it holds no more than what is new. */
function parseRowPlaces({ block, page, description }: WalRecord, hasOldBlock: boolean): string[] {
  const offsets = [...description.matchAll(/(?:^|[ ,])(old_|new_)?off: (\d+)/g)];
  return offsets
    .filter(([, which]) => !hasOldBlock || (which === "old_") === (block === 1))
    .map(([, , offset]) => `(${page},${offset})`);
}

/** Statistics of the database are left out: they are drawn from all rows of a table, whenever it likes to. */
const WAL_RECORDS_SQL = `
  select b.xid::text as xid, b.start_lsn::text as record, coalesce(c.relname, '') as relation, b.block_id as block,
    b.relblocknumber::text as page, coalesce(b.block_data, '') as data, coalesce(i.description, '') as description
  from pg_get_wal_block_info($1::pg_lsn, $2::pg_lsn, true) b
  join pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn) i on i.start_lsn = b.start_lsn
  left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
  left join pg_namespace n on n.oid = c.relnamespace
  where b.xid::text <> '0' and n.nspname is distinct from 'pg_catalog'`;

/** How many rows of each table name each candidate; tables in which they differ. */
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
 * Rows that hold what can be made of a candidate with the keys of the folder: every keyed hash that the service makes,
 * of every text that it makes them of.
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

/** By so many characters or bytes a hash is known, also where it was cut. */
const HASH_PREFIX_LENGTH = 16;

/** Whatever may be the beginning of a hash, as bytes or as text. */
function findHashPrefixes(data: Buffer): string[] {
  const text = data.toString("latin1");
  return Array.from({ length: Math.max(0, text.length - HASH_PREFIX_LENGTH + 1) }, (_, at) =>
    text.slice(at, at + HASH_PREFIX_LENGTH),
  );
}

/** Each purpose that the source names, with each key of the folder. */
function deriveKeys(dataDir: string): Buffer[] {
  const source = fs.globSync("lib/**/*.ts").map((file) => fs.readFileSync(file, "utf8"));
  const found = source.flatMap((text) => [
    ...text.matchAll(
      /(?:computeKeyedHash|computeSharedHash|computeEphemeralHash|deriveEphemeralKey)\(\s*"([^"]+)"/g,
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

/** By how many ms the clock of the files may be behind. */
const FILE_CLOCK_MS = 20;

/** Files outside of the database that were written in the window, by what they hold and how they are called. */
export function searchFiles(
  dataDir: string,
  { began, ended }: TimeWindow,
  candidates: Candidate[],
): Finding[] {
  const names = fs
    .readdirSync(dataDir, { recursive: true })
    .map(String)
    .filter((name) => !name.startsWith("postgres/"));
  const findings = names.flatMap((name) => {
    const file = path.join(dataDir, name);
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.mtimeMs < began - FILE_CLOCK_MS || stat.mtimeMs > ended) return [];
    const bytes = Buffer.concat([Buffer.from(name), fs.readFileSync(file)]);
    return [{ store: "files", where: name, names: listNamedCandidates(bytes, candidates) }];
  });
  return filterDistinguishing(findings, candidates);
}

/** Lines of the log of the window that name somebody, and rows that hold the id of a request of it and name somebody. */
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
