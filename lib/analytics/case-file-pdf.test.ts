import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { extractPdfTexts } from "#e2e/support/pdf-text.ts";
import type { CaseFileDocument } from "./case-file-document.ts";

let renderPdf: typeof import("./pdf.ts").renderPdf;

beforeAll(async () => {
  vi.stubEnv("BASE_URL", "");
  ({ renderPdf } = await import("./pdf.ts"));
});
afterAll(() => void vi.unstubAllEnvs());

const texts = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) => ({ about: `Ada Nwosu · entry ${index + 1}`, text }));

const document = (changes: Partial<CaseFileDocument>): CaseFileDocument => ({
  locale: "en",
  title: "Case file",
  lead: ["Incident 3f2a91bc · Signal Days"],
  foot: "Confidential · 14 Mar 2026, 14:02 UTC · Ada Nwosu",
  pageNumber: "Page {page} of {pages}",
  missingSigns: "A sign stands where a character is missing.",
  sections: [],
  ...changes,
});

async function render(changes: Partial<CaseFileDocument>) {
  const pdf = Buffer.from(await renderPdf({ kind: "case", content: document(changes) }, { personId: "ada" }));
  const pages = pdf.toString("latin1").match(/\/Type \/Page\b(?!s)/g)?.length ?? 0;
  return { pages, text: extractPdfTexts(pdf).join(" ") };
}

const countIn = (text: string, part: string) => text.split(part).length - 1;

it("sets five hundred entries and a text of 20,000 letters, each page with its foot", async () => {
  const long = "He said it again at the bar. ".repeat(690);
  const sections = [
    { heading: "Report", facts: [["Status", "Resolved"]] as [string, string][], texts: texts(1, long) },
    { heading: "Timeline", facts: [], texts: texts(500, "Submitted → Acknowledged") },
  ];
  const { pages, text } = await render({ sections });
  expect(pages).toBeGreaterThan(20);
  expect(countIn(text, "Confidential")).toBe(pages);
  for (const page of [1, pages]) expect(text).toContain(`Page ${page} of ${pages}`);
  expect(countIn(text, "entry 500")).toBe(1);
}, 60_000);

it("sets Arabic from right to left, and says which signs are missing", async () => {
  const sections = [{ heading: "تقرير", facts: [], texts: texts(1, "مضايقة لفظية 会議") }];
  const { text } = await render({ locale: "ar", foot: "سري · Ada Nwosu", sections });
  const asSeen = (word: string) => [...word].toReversed().join("");
  for (const part of [asSeen("مضايقة"), asSeen("تقرير"), "Ada Nwosu", "character is missing"])
    expect(text).toContain(part);
}, 60_000);
