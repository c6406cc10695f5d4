import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { Method, Row } from "#e2e/api/routes.ts";

/** What the route files declare: `createRouteHandlers({ GET: listEvents, … })`. */

/** `operation`: where it is imported from, and its name. One operation may have several paths, by id and by slug. */
export type DeclaredRoute = { method: Method; path: string; operation: string };

export const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

const ROOT = path.resolve(import.meta.dirname, "../../app/api");
/** Adds the responses to other methods and to OPTIONS, to which Next would respond in its own way. */
const ALL_METHODS =
  /export const \{ GET, POST, PUT, PATCH, DELETE, OPTIONS \} = (createRouteHandlers|createNonOperationRouteHandlers)\(/;

const isUnknownPath = (file: string) => file.includes("[...") || file === "route.ts";

/** Lists the methods and paths of all route files, except for the metrics, which are no operation. */
export function listDeclaredRoutes(): DeclaredRoute[] {
  const files = fs.readdirSync(ROOT, { recursive: true }).map(String);
  const routes = files.filter((file) => path.basename(file) === "route.ts" && !isUnknownPath(file));
  return routes.flatMap(readRoutes);
}

function readRoutes(file: string): DeclaredRoute[] {
  const source = fs.readFileSync(path.join(ROOT, file), "utf8");
  const route = `/api/${path
    .dirname(file)
    .replaceAll(path.sep, "/")
    .replace(/\[(\w+)\]/g, ":$1")}`;
  expect(source, `${file} declares all methods with createRouteHandlers({ … })`).toMatch(ALL_METHODS);
  // Those of supervisors and of Prometheus are no operations: they need neither session nor database.
  if (route === "/api/health/live") return [{ method: "GET", path: route, operation: route }];
  const operations = /createRouteHandlers\(\{([^}]*)\}\)/.exec(source)?.[1];
  if (operations === undefined && route === "/api/metrics") return [];
  const declared = [...(operations ?? "").matchAll(/\b([A-Z]+):\s*(\w+)/g)];
  expect(declared, `${file} declares its methods with createRouteHandlers({ … })`).not.toEqual([]);
  return declared.map(([, method, name = ""]) => ({
    method: method as Method,
    path: route,
    operation: `${findModule(source, name)} ${name}`,
  }));
}

/** Finds the module from which a file imports a name. */
function findModule(source: string, name: string): string {
  const imports = [...source.matchAll(/import \{([^}]*)\} from "([^"]+)"/g)];
  const found = imports.find(([, names = ""]) => new RegExp(`\\b${name}\\b`).test(names))?.[2];
  if (!found) throw new Error(`nothing imports ${name}`);
  return found;
}

/** Keeps the first row of each operation, for what doesn't depend on the path by which it is called. */
export const keepOnePerOperation = (rows: Row[]): Row[] =>
  groupByOperation(rows).flatMap(([first]) => first ?? []);

/** Groups rows by their operation: one group has its paths by id and by slug. */
export function groupByOperation(rows: Row[]): Row[][] {
  const declared = new Map(
    listDeclaredRoutes().map(({ method, path: route, operation }) => [`${method} ${route}`, operation]),
  );
  const operationOf = ({ method, path: route }: Row) => declared.get(`${method} ${route}`) ?? "";
  return [...Map.groupBy(rows, operationOf).values()];
}
