import { createHash } from "node:crypto";
import type pg from "pg";
import type { ContentDigest } from "./archive.ts";

/**
 * Tables as lines of JSON, one per row, in the order of the primary key. The same rows give the same bytes on every
 * server, so two databases are equal when the digests of their tables are.
 */

export type TableDefinition = { name: string; schema: string; columns: string[]; order: string };

/**
 * Tables that backups leave out. Sessions and tokens of mailed links would let people back in whose access has ended
 * since. Contents of refused forms, idempotency keys with their responses, rate-limit counters and counts of failures
 * are worthless the next day. The results of the evidence check describe the previous storage. Migrations are applied
 * again, and are in the manifest.
 */
const EXCLUDED_TABLES = [
  "public._prisma_migrations",
  "public.sessions",
  "public.password_resets",
  "public.email_verifications",
  "public.refused_forms",
  "public.idempotency_keys",
  "public.rate_limits",
  "public.sign_in_delays",
  "public.sign_in_retries",
  "public.job_queue_failures",
  "public.evidence_problems",
  "public.evidence_checks",
  "graphile_worker.migrations",
];

/** Maximum number of rows per batch, and of characters in it: this bounds the memory used. */
const MAX_BATCH_ROWS = 500;
const MAX_BATCH_CHARACTERS = 4_000_000;

/** Lists every table that a backup contains; tables that others refer to come first. */
export async function listBackupTables(client: pg.ClientBase): Promise<TableDefinition[]> {
  const { rows } = await client.query<TableDefinition & { above: string[] }>(TABLES_SQL, [EXCLUDED_TABLES]);
  return sortByReferences(rows);
}

/** Session settings for reading and writing tables, so that text is the same whatever the server's own settings. */
export const DUMP_SESSION_SETTINGS_SQL =
  "set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'iso_8601'; set bytea_output = 'hex'; set extra_float_digits = 1";

/** Yields the rows of a table, one line each; must run inside a transaction. */
export async function* readTableRowsAsJsonLines(
  client: pg.ClientBase,
  table: TableDefinition,
): AsyncGenerator<string> {
  await client.query(`declare rows_of no scroll cursor for ${selectRowsSql(table)}`);
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${MAX_BATCH_ROWS} from rows_of`);
    for (const { line } of rows) yield `${line}\n`;
    if (rows.length < MAX_BATCH_ROWS) break;
  }
  await client.query("close rows_of");
}

/** Returns number and digest of the rows in a table; must run inside a transaction. */
export async function digestTable(
  client: pg.ClientBase,
  table: TableDefinition,
): Promise<ContentDigest & { rows: number }> {
  const hash = createHash("sha256");
  const sum = { rows: 0, bytes: 0 };
  for await (const line of readTableRowsAsJsonLines(client, table)) {
    hash.update(line);
    sum.rows += 1;
    sum.bytes += Buffer.byteLength(line);
  }
  return { ...sum, sha256: hash.digest("hex") };
}

/**
 * Writes rows into a table without running its triggers, since what they would write is in the backup, too.
 * @throws the database's error when a row doesn't fit
 */
export async function writeTableRowsFromJsonLines(
  client: pg.ClientBase,
  table: TableDefinition,
  lines: AsyncIterable<string>,
): Promise<void> {
  const columns = table.columns.join(", ");
  const insert = `insert into ${table.name} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${table.name}, $1::json)`;
  await client.query(`alter table ${table.name} disable trigger user`);
  for await (const batch of batchLines(lines)) await client.query(insert, [`[${batch.join(",")}]`]);
  await client.query(`alter table ${table.name} enable trigger user`);
}

type SequenceState = { name: string; last: string };

/** Lists the sequences that have been used. Call it after reading the rows, so that no sequence is behind its rows. */
export async function listUsedSequences(client: pg.ClientBase): Promise<SequenceState[]> {
  const { rows } = await client.query<SequenceState>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences
     where schemaname in ('public', 'graphile_worker') and last_value is not null order by 1`,
  );
  return rows;
}

/** Restores the last numbers of the sequences that exist in this database. */
export async function restoreSequenceValues(
  client: pg.ClientBase,
  sequences: SequenceState[],
): Promise<void> {
  for (const { name, last } of sequences)
    await client.query("select setval(to_regclass($1), $2::bigint) where to_regclass($1) is not null", [
      name,
      last,
    ]);
}

/**
 * A query for the rows of a table, each as one line of JSON. Line breaks become spaces: those between the parts of a
 * JSON column have no meaning, and those in texts are written as \n.
 */
const selectRowsSql = ({ name, columns, order }: TableDefinition): string =>
  `select replace(row_to_json(r)::text, E'\\n', ' ') as line from (select ${columns.join(", ")} from ${name} order by ${order}) r`;

async function* batchLines(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for await (const line of lines) {
    batch.push(line);
    characters += line.length;
    if (batch.length < MAX_BATCH_ROWS && characters < MAX_BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

function sortByReferences(tables: (TableDefinition & { above: string[] })[]): TableDefinition[] {
  const sortedTables = new Map<string, TableDefinition>();
  while (sortedTables.size < tables.length) {
    const next = tables.filter(
      ({ name, above }) =>
        !sortedTables.has(name) &&
        above.every((one) => sortedTables.has(one) || !tables.some((table) => table.name === one)),
    );
    if (next.length === 0)
      throw new Error("Tables refer to one another in a circle; there is no order for them.");
    for (const { above: _, ...table } of next) sortedTables.set(table.name, table);
  }
  return [...sortedTables.values()];
}

/**
 * All tables except unlogged ones, which PostgreSQL empties after a crash; `above` lists those that a table refers
 * to.
 */
const TABLES_SQL = `
  select format('%I.%I', n.nspname, c.relname) as name, n.nspname as schema,
    (select array_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    (select string_agg(quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end, ', '
        order by k.place)
      from pg_index i cross join lateral unnest(i.indkey) with ordinality as k (number, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
      where i.indrelid = c.oid and i.indisprimary) as "order",
    array(select distinct format('%I.%I', fn.nspname, f.relname) from pg_constraint x
      join pg_class f on f.oid = x.confrelid join pg_namespace fn on fn.oid = f.relnamespace
      where x.conrelid = c.oid and x.contype = 'f' and x.confrelid <> c.oid) as above
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') and not c.relispartition
    and c.relpersistence = 'p' and not format('%I.%I', n.nspname, c.relname) = any ($1::text[])
  order by 1`;
