import { createHash } from "node:crypto";
import type pg from "pg";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { sqlTypeParsers } from "#lib/database/sql-types.ts";

/**
 * Raw statements, straight to the driver. Through Prisma's engine one costs about three times the processor
 * time, and most requests are two or three raw statements and nothing else (docs/performance.md).
 */

/** `$queryRaw` and `$executeRaw` with Prisma's own types: what a verb or query needs when it writes SQL only. */
export type SqlClient = Pick<Prisma.TransactionClient, "$queryRaw" | "$executeRaw">;

type QueryTarget = Pick<pg.Pool | pg.PoolClient, "query">;
type StatementText = TemplateStringsArray | Prisma.Sql;

/** Runs raw statements on a pool or on one connection. Values come as Prisma gives them; errors are the driver's. */
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
  return { name: statementName(sql), text: sql, values: values.map(toParameter), types: sqlTypeParsers };
}

/** The same list, wherever a statement has it, goes once: the ids of fifty events are two kilobytes. */
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

/** Times go with their zone, whatever the zone of the connection. */
const toParameter = (value: unknown): unknown =>
  value instanceof Date ? value.toISOString() : Array.isArray(value) ? toArrayParameter(value) : value;

/** A list of ids as the database reads it, without a look for what must be escaped in each of them. */
const toArrayParameter = (values: unknown[]): unknown =>
  values.length > 0 && values.every(isId) ? `{${values.join(",")}}` : values;

const isId = (value: unknown) => typeof value === "string" && /^[0-9a-f-]{36}$/.test(value);

// Named statements are planned once a connection. The number of names is bounded, since lists of values
// of every length would otherwise fill the server's memory.
const statementNames = new Map<string, string>();

/** The name under which a statement is prepared; empty for one too many, which is then planned each time. */
export function statementName(sql: string): string {
  const known = statementNames.get(sql);
  if (known) return known;
  if (statementNames.size >= 400) return "";
  const name = createHash("sha1").update(sql).digest("base64url");
  statementNames.set(sql, name);
  return name;
}
