import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashSources } from "./prepare.ts";

let root: string;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "heed-hash-"));
  write("app/page.tsx", "one");
  write("lib/a.ts", "two");
  write("lib/a.test.ts", "three");
  write("lib/generated/prisma/client.ts", "four");
});

afterEach(() => fs.rmSync(root, { recursive: true }));

const hash = () => hashSources(root, ["app", "lib", "missing"]);

function write(name: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), text);
}

test("the hash of unchanged sources stays, whatever their times", () => {
  const before = hash();
  fs.utimesSync(path.join(root, "lib/a.ts"), 1, 1);
  expect(hash()).toBe(before);
});

test("the hash changes with a content, a name, a new and a removed file", () => {
  const seen = new Set([hash()]);
  write("lib/a.ts", "TWO");
  seen.add(hash());
  fs.renameSync(path.join(root, "lib/a.ts"), path.join(root, "lib/b.ts"));
  seen.add(hash());
  write("app/other/page.tsx", "");
  seen.add(hash());
  fs.rmSync(path.join(root, "app/page.tsx"));
  seen.add(hash());
  expect(seen.size).toBe(5);
});

test("tests and generated files don't count", () => {
  const before = hash();
  write("lib/a.test.ts", "changed");
  write("lib/generated/prisma/client.ts", "changed");
  expect(hash()).toBe(before);
});
