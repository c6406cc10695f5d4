import pg from "pg";

/** How the database executes the statements of a scenario, according to EXPLAIN with a generic plan. */

export type QueryPlan = {
  /** The beginning of the statement. */
  statement: string;
  /** The tables that are read, each with its index: `incidents (incidents_pkey)`. */
  reads: string[];
  /** Large tables that are read completely. */
  sequential: string[];
};

/** A table with more rows than this is large. */
const LARGE_TABLE_ROWS = 50_000;

/** Explains statements, given as the service sends them, with `$1` in place of values. */
export async function explainStatements(
  databaseUrl: string,
  statements: readonly string[],
): Promise<QueryPlan[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "heed-bench" });
  await client.connect();
  try {
    const large = await listLargeTables(client);
    const plans: QueryPlan[] = [];
    for (const statement of statements) plans.push(await explainStatement(client, statement, large));
    return plans;
  } finally {
    await client.end();
  }
}

async function listLargeTables(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and reltuples > $1",
    [LARGE_TABLE_ROWS],
  );
  return new Set(rows.map(({ name }) => name));
}

type PlanNode = { "Node Type": string; "Relation Name"?: string; "Index Name"?: string; Plans?: PlanNode[] };

async function explainStatement(
  client: pg.Client,
  statement: string,
  large: Set<string>,
): Promise<QueryPlan> {
  const { rows } = await client.query<{ "QUERY PLAN": { Plan: PlanNode }[] }>(
    `explain (generic_plan, format json) ${statement}`,
  );
  const nodes = flattenNodes(rows[0]?.["QUERY PLAN"][0]?.Plan);
  const names = (fits: (node: PlanNode) => boolean, name: (node: PlanNode) => string) => [
    ...new Set(nodes.filter(fits).map(name)),
  ];
  const table = (node: PlanNode) => node["Relation Name"] ?? "";
  return {
    statement: statement.replaceAll(/\s+/g, " ").trim().slice(0, 60),
    reads: names(
      (node) => node["Node Type"].includes("Scan") && Boolean(node["Index Name"] ?? node["Relation Name"]),
      (node) => node["Index Name"] ?? table(node),
    ),
    sequential: names((node) => node["Node Type"] === "Seq Scan" && large.has(table(node)), table),
  };
}

const flattenNodes = (node: PlanNode | undefined): PlanNode[] =>
  node ? [node, ...(node.Plans ?? []).flatMap(flattenNodes)] : [];
