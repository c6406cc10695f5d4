import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, it } from "vitest";

/** Writes to a log whose reader has closed, twice, and finally reports how many exceptions it caught. */
const UNREPORTED_ERROR = `
  const { handleUncaughtErrors } = await import(process.argv[1]);
  let exceptions = 0;
  process.on("uncaughtExceptionMonitor", () => (exceptions += 1));
  handleUncaughtErrors(() => undefined);
  process.stdin.once("data", () => {
    console.log("somebody asks");
    setTimeout(() => {
      console.log("and again");
      setTimeout(() => process.stderr.write(String(exceptions), () => process.exit(0)), 100);
    }, 100);
  });
`;

it("continues without a log when its reader has closed", async () => {
  const watcher = path.join(import.meta.dirname, "uncaught-errors.ts");
  const child = spawn(process.execPath, ["--input-type=module", "--eval", UNREPORTED_ERROR, watcher]);
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  child.stdout.destroy();
  await once(child.stdout, "close");
  child.stdin.end("now\n");
  await once(child, "close");
  expect({ code: child.exitCode, said }).toEqual({ code: 0, said: "0" });
});
