import fs from "node:fs";
import path from "node:path";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { buildIfOutdated, PROJECT_ROOT } from "./prepare.ts";
import { listBuildServingProcessIds } from "#lib/build/build-in-use.ts";

/**
 * `npm run trim`, for an image or a server: builds, and removes what only building and testing need. What is left can
 * serve, back up and restore, but not build. `npm ci` restores everything.
 */

type Package = Partial<
  Record<"dependencies" | "optionalDependencies" | "peerDependencies", Record<string, string>>
> & { peerDependenciesMeta?: Record<string, { optional?: boolean }> };

/** Packages that only generate and build, and packages whose needed parts the build already contains. */
const BUILD_ONLY_PACKAGES =
  /^(prisma|@prisma\/schema-engine-wasm|typescript|tailwindcss|@tailwindcss\/.+|lucide-react|@base-ui\/react|@types\/.+|@next\/swc-.+)$/;

/** Files for debuggers, compilers and development, and the query compilers of other databases. */
const BUILD_ONLY_FILES = [
  /\.map$/,
  /\.d\.[cm]?ts$/,
  /\.a$/,
  /^node_modules\/next\/dist\/docs\//,
  /^node_modules\/next\/dist\/compiled\/next-server\/.*\.dev\.js$/,
  /^node_modules\/@prisma\/client\/runtime\/.*\.(cockroachdb|mysql|sqlite|sqlserver)\./,
];

/** A start hashes this file to find out whether the generated client is up to date (`computeClientHash`). */
const REQUIRED_FILE = "node_modules/prisma/package.json";

/** Returns the install paths (`node_modules/a`, with slashes) of the packages that the service needs at runtime. */
function listRuntimePackagePaths(root: string): Set<string> {
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, Package>;
  };
  const runtimePackages = new Set<string>();
  const queue = [""];
  for (let place = queue.pop(); place !== undefined; place = queue.pop())
    for (const name of listDependencies(lock.packages[place] ?? {})) {
      const at = resolvePackage(lock.packages, place, name);
      if (!at || runtimePackages.has(at)) continue;
      runtimePackages.add(at);
      queue.push(at);
    }
  return runtimePackages;
}

function listDependencies(one: Package): string[] {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = one;
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
  return names.filter((name) => !BUILD_ONLY_PACKAGES.test(name));
}

/** Resolves a package as Node does: next to the dependent package, then in each folder above. */
function resolvePackage(packages: Record<string, Package>, from: string, name: string): string | undefined {
  for (let above = from; ; above = above.slice(0, Math.max(above.lastIndexOf("/node_modules/"), 0))) {
    const at = `${above && `${above}/`}node_modules/${name}`;
    if (packages[at]) return at;
    if (!above) return undefined;
  }
}

/** Creates a function that returns whether only the build needs a file or package, given its path from the root. */
export function createBuildOnlyFileMatcher(root: string): (place: string) => boolean {
  const needed = listRuntimePackagePaths(root);
  const findPackageFolder = (place: string) =>
    /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@.][^/]*/.exec(place)?.[0];
  return (place) => {
    const one = findPackageFolder(place);
    if (!one || place === REQUIRED_FILE) return false;
    return !needed.has(one) || BUILD_ONLY_FILES.some((pattern) => pattern.test(place));
  };
}

/**
 * Removes files that only building and testing need.
 * @returns the number of bytes removed
 */
function trimNodeModules(root: string): number {
  const isBuildOnly = createBuildOnlyFileMatcher(root);
  const files = fs
    .readdirSync(path.join(root, "node_modules"), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => isBuildOnly(path.relative(root, file).split(path.sep).join("/")));
  let bytes = 0;
  for (const file of files) {
    bytes += fs.lstatSync(file).size;
    fs.rmSync(file);
  }
  removeEmptyFolders(path.join(root, "node_modules"));
  return bytes;
}

/** @returns whether the folder was empty and has been removed */
function removeEmptyFolders(folder: string): boolean {
  const left = fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() || !removeEmptyFolders(path.join(folder, entry.name)));
  if (left.length === 0) fs.rmdirSync(folder);
  return left.length === 0;
}

/** Files and folders that a build leaves next to its output. */
const BUILD_LEFTOVERS = ["cache", "diagnostics", "trace", "trace-build"];

const USAGE = `npm run trim
Builds, and removes from node_modules what only building and testing need. \`npm ci\` brings it back.`;

if (import.meta.main) {
  parseArgumentsOrExit({}, USAGE);
  const [pid] = listBuildServingProcessIds(PROJECT_ROOT);
  if (pid) {
    console.error(`Heed runs here (process ${pid}). Stop it first.`);
    process.exit(1);
  }
  await buildIfOutdated((line) => console.log(line));
  for (const name of BUILD_LEFTOVERS)
    fs.rmSync(path.join(PROJECT_ROOT, ".next", name), { recursive: true, force: true });
  console.log(`${Math.round(trimNodeModules(PROJECT_ROOT) / 1e6)} MB that only a build needs are removed.`);
}
