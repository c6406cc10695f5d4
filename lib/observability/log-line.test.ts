import { afterEach, expect, test, vi } from "vitest";
import { redirectConsole } from "./log-line.ts";

const { debug, error, info, log, trace, warn } = console;
const warningListeners = process.listeners("warning");
afterEach(() => {
  Object.assign(console, { debug, error, info, log, trace, warn });
  process.removeAllListeners("warning");
  for (const listener of warningListeners) process.on("warning", listener);
  vi.restoreAllMocks();
});

test("what a library prints becomes one line of JSON, which says where and not what", () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  redirectConsole();
  console.log(" ✓ Running %s\nin 12 ms ", "maya@example.org");
  console.error("⨯", Object.assign(new TypeError("maya@example.org\nis no number"), { code: "E42" }));
  console.error("Failed: maya@example.org\n    at maya@example.org (secret.ts:1:1)");
  console.trace("maya@example.org");
  process.emit("warning", Object.assign(new Error("maya@example.org"), { name: "DeprecationWarning" }));
  const stack = expect.arrayContaining([expect.stringContaining("log-line.test.ts")]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "info", err: { stack } },
    { level: "error", err: { name: "TypeError", code: "E42", stack } },
    { level: "error", err: { stack } },
    { level: "warn", err: { stack } },
    { level: "warn", err: { name: "DeprecationWarning", stack } },
  ]);
  expect(lines.every((line) => line.endsWith("}\n") && line.indexOf("\n") === line.length - 1)).toBe(true);
  expect(lines.join("")).not.toMatch(/maya|secret/);
});
