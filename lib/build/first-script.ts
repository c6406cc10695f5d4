import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/**
 * Every page loads the framework's code in several files that are compressed separately. Joined into one file they
 * are 4 % smaller and need one request: `joinFirstScripts` joins them after a build (docs/decisions/018). Each part
 * still registers with the bundler's loader under its own file name, so code that requests a part finds it. The
 * separate files stay, for pages that were prerendered during the build.
 */

type BuildManifest = { rootMainFiles?: string[] };

/** How a bundler file refers to itself: by the script element that loaded it. */
const SELF_REFERENCE = '"object"==typeof document?document.currentScript:void 0';
/** The loader, which registers no module and has no name of its own. */
const LOADER_FILE = /\/turbopack-[^/]+\.js$/;

/**
 * Joins the scripts that every page of the build in `folder` (.next) starts with, and points the pages to the joint
 * file. Leaves a build with an unknown structure unchanged.
 * @returns the size of the joint file in bytes, or undefined where nothing was joined
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

/** Reads the manifest of the build and those of its pages. */
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

/**
 * Makes a part register under its file name instead of its script element; undefined where its code has another form.
 */
function replaceSelfReference(file: string, text: string): string | undefined {
  const pieces = text.split(SELF_REFERENCE);
  if (LOADER_FILE.test(file)) return pieces.length === 1 ? text : undefined;
  return pieces.length === 2 ? pieces.join(JSON.stringify(file)) : undefined;
}
