import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { makeServiceSeemEmpty } from "#e2e/support/first-account.ts";
import { shareService } from "#e2e/support/service.ts";

/**
 * A client over types that openapi-typescript makes from the served document: it compiles under the strictest settings,
 * and walks through the running service.
 */

const heed = await shareService();
const root = path.resolve(import.meta.dirname, "../..");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-client-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const run = async (...parameters: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: root }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout;
};

const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: "ES2024",
  lib: ["ESNext", "DOM", "DOM.Iterable"],
  module: "nodenext",
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  skipLibCheck: false,
  types: ["node"],
  typeRoots: [path.join(root, "node_modules/@types")],
};

test("a generated client compiles and walks through the service", async () => {
  const { body: document } = await heed.visitor().get("/api/openapi.json");
  fs.writeFileSync(path.join(folder, "openapi.json"), JSON.stringify(document));
  for (const file of ["client.ts", "walkthrough.ts"])
    fs.copyFileSync(path.join(root, "e2e/client", file), path.join(folder, file));
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const options = { compilerOptions: COMPILER_OPTIONS, files: ["walkthrough.ts"] };
  fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(options));

  const generator = path.join(root, "node_modules/openapi-typescript/bin/cli.js");
  const typescript = path.join(root, "e2e/client/typescript-api.ts");
  const [source, target] = [path.join(folder, "openapi.json"), path.join(folder, "schema.ts")];
  // A member with a default may be missing from a request.
  const flags = ["--default-non-nullable", "false", "--output", target];
  await run("--import", typescript, generator, source, ...flags);
  await run(path.join(root, "node_modules/typescript/bin/tsc"), "--project", folder);
  await makeServiceSeemEmpty(heed);
  expect(await run(path.join(folder, "walkthrough.ts"), heed.url)).toBe("done\n");
}, 300_000);
