import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compressTextFilesUsingCache } from "./compress.ts";

let root: string;
const place = (name: string) => path.join(root, "static", name);
const cache = () => path.join(root, "cache");
const SCRIPT = "const answer = 42; // again and again\n".repeat(200);

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "heed-compress-"));
  write("chunks/a.js", SCRIPT);
});
afterEach(() => fs.rmSync(root, { recursive: true }));

function write(name: string, content: string): void {
  fs.mkdirSync(path.dirname(place(name)), { recursive: true });
  fs.writeFileSync(place(name), content);
}

const compress = () => compressTextFilesUsingCache(path.join(root, "static"), cache());

test("a script gets both compressed forms, smaller and with the same content", async () => {
  await compress();
  for (const [ending, open] of [["br", brotliDecompressSync] as const, ["gz", gunzipSync] as const]) {
    const packed = fs.readFileSync(place(`chunks/a.js.${ending}`));
    expect(packed.length).toBeLessThan(SCRIPT.length / 4);
    expect(open(packed).toString()).toBe(SCRIPT);
  }
});

test("fonts and very small files are not compressed", async () => {
  write("media/font.woff2", SCRIPT);
  write("chunks/tiny.js", "1");
  await compress();
  expect(fs.readdirSync(place("media"))).toEqual(["font.woff2"]);
  expect(fs.readdirSync(place("chunks")).toSorted()).toEqual(["a.js", "a.js.br", "a.js.gz", "tiny.js"]);
});

test("the same content under another name is taken from the cache", async () => {
  await compress();
  const [stored = ""] = fs.readdirSync(cache()).filter((name) => name.endsWith(".br"));
  fs.writeFileSync(path.join(cache(), stored), "marked");
  fs.renameSync(place("chunks/a.js"), place("chunks/b.js"));
  await compress();
  expect(fs.readFileSync(place("chunks/b.js.br"), "utf8")).toBe("marked");
});

test("unused cache entries are removed", async () => {
  await compress();
  const before = fs.readdirSync(cache());
  fs.rmSync(place("chunks"), { recursive: true });
  write("chunks/a.js", SCRIPT.replace("42", "43"));
  await compress();
  const after = fs.readdirSync(cache());
  expect(after).toHaveLength(2);
  expect(after.filter((name) => before.includes(name))).toEqual([]);
});
