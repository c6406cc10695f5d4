import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/**
 * The code of the framework comes with every page in several files, each compressed by itself. In one file they are
 * 4 % less, and one request: `joinFirstScripts` joins them after a build (docs/decisions/018). Each part still tells
 * the bundler's loader its own name, so whatever asks for one of them finds it there; the files themselves stay for
 * pages that were made whole during the build.
 */

type BuildManifest = { rootMainFiles?: string[] };

/** How a file of the bundler names itself: by the element that brought it. */
const SELF_REFERENCE = '"object"==typeof document?document.currentScript:void 0';
/** The loader, which is no part of what it loads, and has no name. */
const LOADER_FILE = /\/turbopack-[^/]+\.js$/;

/**
 * Joins the scripts that each page of the build in `folder` (.next) begins with, and has the pages ask for the joint
 * file. A build that looks different from what is known is left as it is.
 * @returns bytes of the joint file, or undefined where nothing was joined
 */
export function joinFirstScripts(folder: string): number | undefined {
  const manifests = readManifests(folder);
  const [files, ...others] = uniqueLists(
    manifests.map(({ manifest }) => manifest.rootMainFiles ?? []).filter((list) => list.length > 0),
  );
  if (!files || others.length > 0 || files.length < 2) return undefined;
  const parts = files.map((file) =>
    replaceSelfReference(file, fs.readFileSync(path.join(folder, file), "utf8")),
  );
  if (!parts.every((part) => part !== undefined)) return undefined;

  const joinedScript = parts.join("\n;");
  const name = `static/chunks/first-${createHash("sha256").update(joinedScript).digest("hex").slice(0, 16)}.js`;
  fs.writeFileSync(path.join(folder, name), joinedScript);
  for (const { file, manifest } of manifests)
    if (manifest.rootMainFiles?.length)
      fs.writeFileSync(file, JSON.stringify({ ...manifest, rootMainFiles: [name] }, null, 2));
  return Buffer.byteLength(joinedScript);
}

/** The build's own list and that of each page. */
function readManifests(folder: string): { file: string; manifest: BuildManifest }[] {
  const pageManifests = fs
    .readdirSync(path.join(folder, "server"), { recursive: true, encoding: "utf8" })
    .filter((file) => path.basename(file) === "build-manifest.json")
    .map((file) => path.join("server", file));
  return ["build-manifest.json", ...pageManifests].map((place) => {
    const file = path.join(folder, place);
    return { file, manifest: JSON.parse(fs.readFileSync(file, "utf8")) as BuildManifest };
  });
}

function uniqueLists(lists: string[][]): string[][] {
  return [...new Map(lists.map((list) => [list.join("\0"), list])).values()];
}

/** A part that says its name instead of looking for its element; undefined where it isn't clear how it does that. */
function replaceSelfReference(file: string, text: string): string | undefined {
  const pieces = text.split(SELF_REFERENCE);
  if (LOADER_FILE.test(file)) return pieces.length === 1 ? text : undefined;
  return pieces.length === 2 ? pieces.join(JSON.stringify(file)) : undefined;
}
