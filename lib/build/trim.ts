import fs from "node:fs";
import path from "node:path";
import { readArguments } from "#lib/command-line/arguments.ts";
import { prepare, ROOT } from "./prepare.ts";
import { servingProcesses } from "#lib/build/build-in-use.ts";

/**
 * `npm run trim`, in an image or on a server: builds, and removes what only building and testing need. What is left
 * serves, backs up and restores; it can't build. `npm ci` brings everything back.
 */

type Package = Partial<
  Record<"dependencies" | "optionalDependencies" | "peerDependencies", Record<string, string>>
> & { peerDependenciesMeta?: Record<string, { optional?: boolean }> };

/** What generates and builds, and what is in the build with all that is needed of it. */
const FOR_BUILDING =
  /^(prisma|@prisma\/schema-engine-wasm|typescript|tailwindcss|@tailwindcss\/.+|lucide-react|@base-ui\/react|@types\/.+|@next\/swc-.+)$/;

/** What debuggers and compilers read, what runs in development, and the query compilers of other databases. */
const UNREAD = [
  /\.map$/,
  /\.d\.[cm]?ts$/,
  /\.a$/,
  /^node_modules\/next\/dist\/docs\//,
  /^node_modules\/next\/dist\/compiled\/next-server\/.*\.dev\.js$/,
  /^node_modules\/@prisma\/client\/runtime\/.*\.(cockroachdb|mysql|sqlite|sqlserver)\./,
];

/** By its version the start knows that the generated client is of this one (prepare.ts). */
const KEPT = "node_modules/prisma/package.json";

/** The places (`node_modules/a`, with slashes) of the packages that the service runs with. */
export function packagesOfService(root: string): Set<string> {
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, Package>;
  };
  const found = new Set<string>();
  const waiting = [""];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop())
    for (const name of neededBy(lock.packages[place] ?? {})) {
      const at = resolve(lock.packages, place, name);
      if (!at || found.has(at)) continue;
      found.add(at);
      waiting.push(at);
    }
  return found;
}

function neededBy(one: Package): string[] {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = one;
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
  return names.filter((name) => !FOR_BUILDING.test(name));
}

/** As Node looks for it: beside the package that asks, then in each folder above. */
function resolve(packages: Record<string, Package>, from: string, name: string): string | undefined {
  for (let above = from; ; above = above.slice(0, Math.max(above.lastIndexOf("/node_modules/"), 0))) {
    const at = `${above && `${above}/`}node_modules/${name}`;
    if (packages[at]) return at;
    if (!above) return undefined;
  }
}

/** Says of a file or a package, by its path from the root, whether the service can do without it. */
export function isForBuilding(root: string): (place: string) => boolean {
  const needed = packagesOfService(root);
  const owner = (place: string) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@.][^/]*/.exec(place)?.[0];
  return (place) => {
    const one = owner(place);
    if (!one || place === KEPT) return false;
    return !needed.has(one) || UNREAD.some((pattern) => pattern.test(place));
  };
}

/** @returns bytes that were removed */
export function trim(root: string): number {
  const isLeft = isForBuilding(root);
  const files = fs
    .readdirSync(path.join(root, "node_modules"), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => isLeft(path.relative(root, file).split(path.sep).join("/")));
  let bytes = 0;
  for (const file of files) {
    bytes += fs.lstatSync(file).size;
    fs.rmSync(file);
  }
  removeEmpty(path.join(root, "node_modules"));
  return bytes;
}

/** @returns whether nothing was left in it, and it is gone */
function removeEmpty(folder: string): boolean {
  const left = fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() || !removeEmpty(path.join(folder, entry.name)));
  if (left.length === 0) fs.rmdirSync(folder);
  return left.length === 0;
}

/** What a build leaves beside its outcome. */
const LEFT_BY_BUILD = ["cache", "diagnostics", "trace", "trace-build"];

const USAGE = `npm run trim
Builds, and removes from node_modules what only building and testing need. \`npm ci\` brings it back.`;

if (import.meta.main) {
  readArguments({}, USAGE);
  const [pid] = servingProcesses(ROOT);
  if (pid) {
    console.error(`Heed runs here (process ${pid}). Stop it first.`);
    process.exit(1);
  }
  await prepare((line) => console.log(line));
  for (const name of LEFT_BY_BUILD)
    fs.rmSync(path.join(ROOT, ".next", name), { recursive: true, force: true });
  console.log(`${Math.round(trim(ROOT) / 1e6)} MB that only a build needs are removed.`);
}
