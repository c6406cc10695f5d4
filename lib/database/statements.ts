import type pg from "pg";
import { withChildSpan, isTracing } from "#lib/observability/spans.ts";

/** Records a span for each statement of a pool, where traces are on. */
export function traceStatements(pool: pg.Pool): void {
  if (!isTracing()) return;
  traceQueries(pool);
  pool.on("connect", traceQueries);
}

type Query = (...given: unknown[]) => unknown;

/**
 * Records a span for each query. A call with a callback comes from the pool itself, for a statement that already has
 * one.
 */
function traceQueries(target: pg.Pool | pg.PoolClient): void {
  const query = target.query.bind(target) as Query;
  const tracedQuery: Query = (...given) =>
    typeof given.at(-1) === "function" || isCursor(given[0])
      ? query(...given)
      : withChildSpan(formatStatementVerbAndTable(given[0]), async () => query(...given));
  target.query = tracedQuery as never;
}

const isCursor = (given: unknown): boolean =>
  typeof (given as { submit?: unknown } | null)?.submit === "function";

/** Describes a statement by its verb and first table, as in `select incidents`; never includes values. */
export function formatStatementVerbAndTable(given: unknown): string {
  const text = typeof given === "string" ? given : String((given as { text?: string } | null)?.text ?? "");
  const verb = /^\s*([a-z]+)/i.exec(text)?.[1]?.toLowerCase() ?? "statement";
  const table = /\b(?:from|into|update|join)\s+(?:only\s+)?(?:"?[a-z_]+"?\.)?"?([a-z_]+)"?/i.exec(text)?.[1];
  return table ? `${verb} ${table.toLowerCase()}` : verb;
}
