import fs from "node:fs";
import path from "node:path";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/** Source files, for tests that hold a rule for all of them. */

/** Lists the TypeScript files below folders of the project, without Prisma's generated client, by their path in it. */
export const listSourceFiles = (folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" })
        .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
    )
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("lib/generated/"));

/** Reads a file by its path in the project. */
export const readSourceFile = (file: string): string =>
  fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8");
