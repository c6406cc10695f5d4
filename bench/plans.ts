import pg from "pg";

/** How the database goes about the statements of a row, as EXPLAIN tells it: with the plan for any values. */

export type Plan = {
  /** The first words of the statement. */
  statement: string;
  /** What is read, and by which index: `incidents (incidents_pkey)`. */
  reads: string[];
  /** Large tables that are read from one end to the other. */
  sequential: string[];
};

/** A table with more rows than this is large. */
const LARGE = 50_000;

/** @param statements as the service sends them, with `$1` in place of values */
export async function plansOf(databaseUrl: string, statements: readonly string[]): Promise<Plan[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "heed-bench" });
  await client.connect();
  try {
    const large = await largeTables(client);
    const plans: Plan[] = [];
    for (const statement of statements) plans.push(await planOf(client, statement, large));
    return plans;
  } finally {
    await client.end();
  }
}

async function largeTables(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and reltuples > $1",
    [LARGE],
  );
  return new Set(rows.map(({ name }) => name));
}

type Node = { "Node Type": string; "Relation Name"?: string; "Index Name"?: string; Plans?: Node[] };

async function planOf(client: pg.Client, statement: string, large: Set<string>): Promise<Plan> {
  const { rows } = await client.query<{ "QUERY PLAN": { Plan: Node }[] }>(
    `explain (generic_plan, format json) ${statement}`,
  );
  const nodes = allNodes(rows[0]?.["QUERY PLAN"][0]?.Plan);
  const names = (fits: (node: Node) => boolean, name: (node: Node) => string) => [
    ...new Set(nodes.filter(fits).map(name)),
  ];
  const table = (node: Node) => node["Relation Name"] ?? "";
  return {
    statement: statement.replaceAll(/\s+/g, " ").trim().slice(0, 60),
    reads: names(
      (node) => node["Node Type"].includes("Scan") && Boolean(node["Index Name"] ?? node["Relation Name"]),
      (node) => node["Index Name"] ?? table(node),
    ),
    sequential: names((node) => node["Node Type"] === "Seq Scan" && large.has(table(node)), table),
  };
}

const allNodes = (node: Node | undefined): Node[] =>
  node ? [node, ...(node.Plans ?? []).flatMap(allNodes)] : [];
