import type { Row } from "#e2e/api/routes.ts";
import type { SharedService } from "#e2e/support/service.ts";

/** Which parameters of a query each GET operation reads, for tests that send several queries to every route. */

type DescribedParameter = { name: string; in: string };
type DescribedPaths = Record<string, { get?: { parameters?: DescribedParameter[] } }>;

/**
 * Returns a function that keeps of each query what the operation of a row reads, and each query that is left once: what
 * an operation doesn't read changes nothing, or is refused (unknown-names.test.ts).
 */
export async function readDeclaredQueries(
  service: SharedService,
): Promise<(row: Row, queries: string[]) => string[]> {
  const { body } = await service.visitor().get("/api/openapi.json");
  const paths = body.paths as DescribedPaths;
  return ({ path }, queries) => {
    const described = paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.get;
    if (!described) throw new Error(`the OpenAPI document lacks GET ${path}`);
    const names = (described.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name);
    const keep = (query: string) =>
      query
        .split("&")
        .filter((part) => names.includes(part.split("=", 1)[0] ?? ""))
        .join("&");
    return [...new Set(queries.map(keep))];
  };
}
