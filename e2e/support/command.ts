import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { COMPILE_CACHE_ENV_VARIABLES } from "#lib/server/memory-limit.ts";
import { RECORDING_VARIABLES, type EnvironmentSettings } from "./process.ts";

export type CommandOutcome = { code: number | null; output: string };

/** Runs `start` or a command of `lib/scripts/` until it exits, with exactly these settings. Compiled code is kept between runs. */
export function spawnProjectCommand(
  name: string,
  args: string[],
  settings: EnvironmentSettings,
): Promise<CommandOutcome> {
  const program = path.join(PROJECT_ROOT, name === "start" ? "lib/server" : "lib/scripts", `${name}.ts`);
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...args], {
    cwd: os.tmpdir(),
    env: {
      PATH,
      HOME,
      ...COMPILE_CACHE_ENV_VARIABLES,
      ...RECORDING_VARIABLES,
      ...settings,
    } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}
