import fs from "node:fs";
import path from "node:path";

/**
 * Returns whether a test file calls `shareService`, according to its text: its imports may need the environment before
 * it runs.
 */
export const sharesService = (file: string): boolean =>
  fs.readFileSync(file, "utf8").includes("await shareService()");

/** Returns the paths of the files of e2e/api that share a service, relative to the root of the project. */
export function listSharingFiles(): string[] {
  const folder = path.resolve(import.meta.dirname, "../api");
  const tests = fs.readdirSync(folder).filter((file) => file.endsWith(".test.ts"));
  return tests.filter((file) => sharesService(path.join(folder, file))).map((file) => `e2e/api/${file}`);
}
