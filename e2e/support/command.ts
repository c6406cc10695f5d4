import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { ROOT } from "#lib/build/prepare.ts";
import type { Settings } from "./process.ts";

export type Outcome = { code: number | null; output: string };

/** Runs `start` or a command of `lib/scripts/` to its end, with these settings and no others. */
export function command(name: string, args: string[], settings: Settings): Promise<Outcome> {
  const program = path.join(ROOT, name === "start" ? "lib/server" : "lib/scripts", `${name}.ts`);
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...args], {
    cwd: os.tmpdir(),
    env: { PATH, HOME, ...settings } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}
