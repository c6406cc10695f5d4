import fs from "node:fs";
import path from "node:path";

/**
 * Generates app/api/generated/routes.ts, the table of all API paths, from the route files, so that the OpenAPI
 * document and the tests can't miss one.
 */
export function writeRouteTable(root: string): void {
  const folder = path.join(root, "app/api");
  const routeNames = listRouteFolders(folder, "").filter((name) => !name.includes("[...") && name !== "");
  const imports = routeNames.map((name, index) => `import * as route${index} from "../${name}/route.ts";`);
  const rows = routeNames.map(
    (name, index) =>
      `  { path: ${JSON.stringify(`/api/${toRoutePattern(name)}`)}, handlers: route${index} },`,
  );
  const text = `// Made by lib/build/route-table.ts from the route files. Not to be edited.\n${imports.join("\n")}\n\nexport const ROUTES = [\n${rows.join("\n")}\n];\n`;
  const file = path.join(folder, "generated/routes.ts");
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === text) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

// The OpenAPI document is generated from the table. If the table contained the document's route, the two would import
// each other.
const EXCLUDED_ROUTES = new Set(["openapi.json"]);

function listRouteFolders(folder: string, name: string): string[] {
  const entries = fs
    .readdirSync(path.join(folder, name), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const ownRoute = entries.some((entry) => entry.name === "route.ts") ? [name] : [];
  const subfolders = entries.filter((entry) => entry.isDirectory() && !EXCLUDED_ROUTES.has(entry.name));
  return [
    ...ownRoute,
    ...subfolders.flatMap((entry) => listRouteFolders(folder, name ? `${name}/${entry.name}` : entry.name)),
  ];
}

/** `[eventId]` → `:eventId` */
const toRoutePattern = (name: string) => name.replace(/\[(\w+)\]/g, ":$1");
