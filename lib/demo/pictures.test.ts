import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findAcceptedFileType } from "#lib/files/upload/types.ts";
import { generateDemoEvidenceFile, renderDemoLogoPng, createPdf } from "./pictures.ts";
import { createRandom } from "./random.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "heed-pictures-"));
});
afterAll(() => rm(folder, { recursive: true }));

const about = {
  title: "Shouting at the (registration) desk",
  description: "It went on for a while.",
  at: new Date("2026-03-14"),
};

test.each([
  ["photo", "image/jpeg"],
  ["chat", "image/png"],
  ["plan", "image/webp"],
  ["statement", "application/pdf"],
  ["notes", "text/plain"],
] as const)("a %s is %s by its content, and small", async (kind, mimetype) => {
  const { filename, bytes } = await generateDemoEvidenceFile(createRandom(7), kind, about);
  const file = path.join(folder, kind);
  await writeFile(file, bytes);
  expect((await findAcceptedFileType(file, filename))?.mimetype).toBe(mimetype);
  expect(bytes.length).toBeLessThan(60_000);
});

test("a logo is the same for the same name", async () => {
  const colors = ["#0f5e73", "#f2b84b"] as const;
  expect(await renderDemoLogoPng("Northlight", colors)).toEqual(
    await renderDemoLogoPng("Northlight", colors),
  );
});

test("the cross-reference table of a PDF leads to its objects", () => {
  const text = createPdf(about.title, `${about.description}\n`.repeat(60)).toString("latin1");
  const table = Number(/startxref\n(\d+)/.exec(text)?.[1]);
  expect(text.slice(table, table + 5)).toBe("xref\n");
  const offsets = [...text.slice(table).matchAll(/^(\d{10}) 00000 n/gm)].map(([, offset]) => Number(offset));
  expect(offsets.map((offset) => text.slice(offset, offset + 7))).toEqual(
    offsets.map((_, index) => `${index + 1} 0 obj`),
  );
  expect(text).toContain("(Shouting at the \\(registration\\) desk) Tj");
});
