import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";

/** Programs that a fault needs and the project doesn't bring. */

const FOLDERS = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"];

/** Returns the path of a program; undefined if it isn't installed. */
export const findProgram = (name: string): string | undefined =>
  FOLDERS.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));

export type Program = { end(): Promise<void> };

/** Runs a program until `stop` is called or this process ends. Writes its output to a file. */
export function runProgram(file: string, args: string[], log: string): Program {
  const output = fs.openSync(log, "a");
  const child: ChildProcess = spawn(file, args, { stdio: ["ignore", output, output] });
  fs.closeSync(output);
  const endWithUs = () => child.kill("SIGKILL");
  process.once("exit", endWithUs);
  return {
    end: async () => {
      process.off("exit", endWithUs);
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
