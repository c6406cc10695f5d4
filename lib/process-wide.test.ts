import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { processWide } from "#lib/process-wide.ts";

const LIB = import.meta.dirname;

test("makes a value once, for every copy of the module", async () => {
  const first = processWide("test counter", () => ({ count: 1 }));
  first.count += 1;
  const copy = (await import(`${LIB}/process-wide.ts?copy`)) as typeof import("#lib/process-wide.ts");
  expect(copy.processWide).not.toBe(processWide);
  expect(copy.processWide("test counter", () => ({ count: 1 }))).toBe(first);
  expect(first.count).toBe(2);
});

test("keeps values with different names apart, and doesn't retry after a failure", () => {
  const failing = () => {
    throw new Error("not yet");
  };
  expect(() => processWide("test late", failing)).toThrow("not yet");
  expect(processWide("test late", () => ({ made: true }))).toEqual({ made: true });
  expect(processWide("test other", () => ({ made: false }))).toEqual({ made: false });
});

test("each name is used in one file, as a literal", () => {
  const texts = fs
    .readdirSync(LIB, { recursive: true })
    .map(String)
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !/^generated|^process-wide/.test(file))
    .map((file) => fs.readFileSync(path.join(LIB, file), "utf8"));
  const calls = texts.flatMap((text) => [...text.matchAll(/\bprocessWide(?:<[^(]*>)?\(/g)]);
  const names = texts.flatMap((text) =>
    [...text.matchAll(/\bprocessWide(?:<[^(]*>)?\(\s*"([^"]+)"/g)].map(([, name]) => name),
  );
  expect(names.length).toBeGreaterThan(10);
  expect(names).toHaveLength(calls.length);
  expect(new Set(names).size).toBe(names.length);
});
