import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { extractPdfTexts } from "#e2e/support/pdf-text.ts";
import type { AnalyticsExportDocument, ExportDocumentReportRow } from "./report.ts";

let renderAnalyticsExportPdf: typeof import("./pdf.ts").renderAnalyticsExportPdf;

beforeAll(async () => {
  // The test runner sets a BASE_URL that would affect the output.
  vi.stubEnv("BASE_URL", "");
  ({ renderAnalyticsExportPdf } = await import("./pdf.ts"));
});
afterAll(() => void vi.unstubAllEnvs());

const report: AnalyticsExportDocument = {
  title: "Conduct reports",
  organization: "Open Signal",
  confidential: "Conduct reports: confidential",
  generated: "14 Mar 2026, 14:02 UTC",
  scope: [["Period", "12 Feb 2026 to 14 Mar 2026 (last 30 days)"]],
  metrics: [["Reports", "45"]],
  tables: [{ title: "By status", rows: [{ name: "Submitted", count: 45, percentage: 100 }] }],
  total: 45,
};

const titles = [
  "Shouted at a volunteer",
  "Ένα περιστατικό στην αίθουσα",
  "Оскорбления в чате",
  "Sự cố tại phòng hội thảo",
  "مضايقة 😀",
];
const line = (index: number): ExportDocumentReportRow => ({
  created: "14 Mar 2026, 14:02 UTC",
  status: "Submitted",
  severity: "Not set",
  event: "Signal Days",
  title: titles[index % titles.length] ?? "",
  assignedTo: "No one",
  url: `https://heed.example.org/e/signal-days/i/${index}`,
});

describe("renderAnalyticsExportPdf", () => {
  it("sets an overview and the list, 22 reports a page, with each script's font in it once", async () => {
    const pdf = Buffer.from(
      await renderAnalyticsExportPdf(
        report,
        Array.from({ length: 45 }, (_, index) => line(index)),
        { personId: "viktor" },
      ),
    ).toString("latin1");
    expect(pdf.slice(0, 5)).toBe("%PDF-");
    expect(pdf.match(/\/Type \/Page\b(?!s)/g)).toHaveLength(4);
    const fonts = [...pdf.matchAll(/\/FontName \/\w+\+([\w-]+-\d00)/g)].map(([, name]) => name);
    expect(fonts.toSorted()).toEqual([
      "noto-emoji-9-400",
      "noto-sans-cyrillic-400",
      "noto-sans-greek-400",
      "noto-sans-latin-400",
      "noto-sans-latin-600",
      "noto-sans-vietnamese-400",
      "vazirmatn-arabic-400",
    ]);
    expect(pdf).toContain("https://heed.example.org/e/signal-days/i/44");
  }, 120_000);

  it("sets Arabic, Hebrew and emoji, from right to left where the text begins so", async () => {
    const titled = (title: string, index: number) => ({ ...line(index), title });
    const lines = [
      "مضايقة لفظية (hall B) عند المكتب",
      "צעקות ליד הדלפק",
      "👩‍💻 wrote 🪷 ❤️",
      "vec\u030cer",
    ].map(titled);
    const pdf = Buffer.from(await renderAnalyticsExportPdf(report, lines, { personId: "viktor" }));
    const texts = extractPdfTexts(pdf);
    // Glyphs stand in a PDF as they are seen, from left to right, each word in its own run.
    const asSeen = (word: string) => [...word].toReversed().join("");
    const textWith = (word: string) => texts.find((one) => one.includes(word)) ?? expect.fail(word);
    for (const word of ["לפק", "צעקות"]) textWith(asSeen(word));
    const arabic = textWith(asSeen("مضايقة"));
    expect(arabic.indexOf(asSeen("المكتب"))).toBeGreaterThan(-1);
    // Right to left: the last word is the leftmost, although English stands between.
    expect(arabic.indexOf(asSeen("المكتب"))).toBeLessThan(arabic.indexOf(asSeen("مضايقة")));
    for (const emoji of "👩💻🪷❤") textWith(emoji);
    // A letter and its mark become one character, which another file of the font has.
    textWith("č");
    expect(texts.join(" ")).not.toContain("stands");
  }, 120_000);

  it("shows a placeholder for what no font has, and says so", async () => {
    const lines = [{ ...line(0), title: "会議 in the hall" }];
    const pdf = Buffer.from(await renderAnalyticsExportPdf(report, lines, { personId: "viktor" }));
    expect(extractPdfTexts(pdf).join(" ")).toMatch(/� in the hall/);
    expect(extractPdfTexts(pdf).join(" ")).toContain("stands where");
  }, 120_000);

  it("refuses more than four waiting PDFs at a time", async () => {
    const five = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) =>
        renderAnalyticsExportPdf(report, [], { personId: `person ${index}` }),
      ),
    );
    expect(five.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
  }, 120_000);

  it("makes one at a time for a person, and others meanwhile", async () => {
    const ask = (personId: string) => renderAnalyticsExportPdf(report, [], { personId });
    const outcomes = await Promise.allSettled([ask("viktor"), ask("viktor"), ask("viktor"), ask("olga")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect((await ask("viktor")).byteLength).toBeGreaterThan(1000);
  }, 120_000);

  it("makes none for a client that has gone", async () => {
    await expect(
      renderAnalyticsExportPdf(report, [], { personId: "viktor", signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
  });
});
