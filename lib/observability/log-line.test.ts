import { afterEach, expect, test, vi } from "vitest";
import { redirectConsoleLogAndInfo } from "./log-line.ts";

const { log, info } = console;
afterEach(() => {
  Object.assign(console, { log, info });
  vi.restoreAllMocks();
});

test("what a library prints becomes one line of JSON", () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  redirectConsoleLogAndInfo();
  console.log(" ✓ Running %s\nin 12 ms ", "next.config.mjs");
  console.info("more");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "info", msg: "✓ Running next.config.mjs\nin 12 ms" },
    { level: "info", msg: "more" },
  ]);
  expect(lines.every((line) => line.endsWith("}\n") && line.indexOf("\n") === line.length - 1)).toBe(true);
});
