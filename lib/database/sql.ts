import { createHash } from "node:crypto";
import type pg from "pg";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { sqlTypeParsers } from "#lib/database/sql-types.ts";

/**
 * Raw statements, sent directly to the driver. Prisma's engine needs about three times the processor time for one,
 * and most requests consist of two or three raw statements (docs/performance.md).
 */

/** `$queryRaw` and `$executeRaw` with Prisma's types: what a verb or query needs when it writes only SQL. */
export type SqlClient = Pick<Prisma.TransactionClient, "$queryRaw" | "$executeRaw">;

type QueryTarget = Pick<pg.Pool | pg.PoolClient, "query">;
type StatementText = TemplateStringsArray | Prisma.Sql;

/** Runs raw statements on a pool or on one connection. Values have Prisma's types; errors are the driver's. */
export function createSqlClient(target: () => QueryTarget): SqlClient {
  const run = (text: StatementText, values: unknown[]) => target().query<object>(toQueryConfig(text, values));
  const sql = {
    $queryRaw: async (text: StatementText, ...values: unknown[]) => (await run(text, values)).rows,
    $executeRaw: async (text: StatementText, ...values: unknown[]) => (await run(text, values)).rowCount ?? 0,
  };
  // Prisma's own promises can be put into a batch; nothing here does that.
  return sql as unknown as SqlClient;
}

function toQueryConfig(text: StatementText, given: unknown[]): pg.QueryConfig {
  const { text: sql, values } = numberParameters("raw" in text ? Prisma.sql(text, ...given) : text);
  return {
    name: choosePreparedStatementName(sql),
    text: sql,
    values: values.map(toParameter),
    types: sqlTypeParsers,
  };
}

/** Sends an array that a statement uses several times only once: the ids of fifty events are two kilobytes. */
function numberParameters({ strings, values }: Prisma.Sql): { text: string; values: unknown[] } {
  const parameters: unknown[] = [];
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) {
    const known = Array.isArray(value) ? parameters.indexOf(value) : -1;
    const position = known < 0 ? parameters.push(value) : known + 1;
    text += `$${position}${strings[index + 1]}`;
  }
  return { text, values: parameters };
}

/** Dates are sent with their zone, whatever the session's time zone. */
const toParameter = (value: unknown): unknown =>
  value instanceof Date ? value.toISOString() : Array.isArray(value) ? toArrayParameter(value) : value;

/** Formats an array of ids for PostgreSQL without checking each of them for characters to escape. */
const toArrayParameter = (values: unknown[]): unknown =>
  values.length > 0 && values.every(isId) ? `{${values.join(",")}}` : values;

const isId = (value: unknown) => typeof value === "string" && /^[0-9a-f-]{36}$/.test(value);

// Named statements are planned once per connection. The number of names is limited, since lists of values of every
// length would otherwise fill the server's memory.
const statementNames = new Map<string, string>();

/** Returns the name for preparing a statement; empty when there are too many, so that it is planned each time. */
function choosePreparedStatementName(sql: string): string {
  const known = statementNames.get(sql);
  if (known) return known;
  if (statementNames.size >= 400) return "";
  const name = createHash("sha1").update(sql).digest("base64url");
  statementNames.set(sql, name);
  return name;
}

/** Leaves statements of Prisma with a list of values unnamed: they have one text for each length of the list. */
export const choosePrismaStatementName = (sql: string): string =>
  /\bIN \(\$\d+,/.test(sql) ? "" : choosePreparedStatementName(sql);
