import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, it } from "vitest";
import { buildErrorLogFields } from "./uncaught-errors.ts";

it("logs class, code and stack frames of an error, and not its message", () => {
  const said = "Maya Castillo\n    at maya@example.org (secret.ts:1:1)";
  const error = Object.assign(new TypeError(said), { code: "ERR_SOMETHING" });
  const { stack, ...remaining } = buildErrorLogFields(error);
  expect(remaining).toEqual({ name: "TypeError", code: "ERR_SOMETHING" });
  expect(stack).toEqual(
    expect.arrayContaining([expect.stringMatching(/^at .*uncaught-errors\.test\.ts(\?\S+)?:\d+:\d+/)]),
  );
  expect(JSON.stringify(stack)).not.toMatch(/maya|secret/i);
});

it("leaves out names and codes that aren't single words", () => {
  const error = Object.assign(new Error("x"), { name: "maya@example.org", code: "a b" });
  expect(buildErrorLogFields(error)).toMatchObject({ name: undefined, code: undefined });
  expect(buildErrorLogFields("maya@example.org")).toEqual({ type: "string" });
});

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
