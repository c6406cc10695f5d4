import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ExportDocument, ReportLine } from "./report.ts";

let renderReportPdf: typeof import("./pdf.ts").renderReportPdf;

beforeAll(async () => {
  // The test runner sets a BASE_URL that would affect the output.
  vi.stubEnv("BASE_URL", "");
  ({ renderReportPdf } = await import("./pdf.ts"));
});
afterAll(() => void vi.unstubAllEnvs());

const report: ExportDocument = {
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
const line = (index: number): ReportLine => ({
  created: "14 Mar 2026, 14:02 UTC",
  status: "Submitted",
  severity: "Not set",
  event: "Signal Days",
  title: titles[index % titles.length] ?? "",
  assignedTo: "No one",
  url: `https://heed.example.org/e/signal-days/i/${index}`,
});

describe("renderReportPdf", () => {
  it("sets an overview and the list, 22 reports a page, with each script's font in it once", async () => {
    const pdf = Buffer.from(
      await renderReportPdf(
        report,
        Array.from({ length: 45 }, (_, index) => line(index)),
        { personId: "viktor" },
      ),
    ).toString("latin1");
    expect(pdf.slice(0, 5)).toBe("%PDF-");
    expect(pdf.match(/\/Type \/Page\b(?!s)/g)).toHaveLength(4);
    const fonts = [...pdf.matchAll(/\/FontName \/\w+\+(NotoSans[\w-]+)/g)].map(([, name]) => name);
    expect(fonts.toSorted()).toEqual([
      "NotoSans-400-cyrillic",
      "NotoSans-400-greek",
      "NotoSans-400-latin",
      "NotoSans-400-vietnamese",
      "NotoSans-600-latin",
    ]);
    expect(pdf).toContain("https://heed.example.org/e/signal-days/i/44");
  }, 120_000);

  it("refuses more than four waiting PDFs at a time", async () => {
    const five = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => renderReportPdf(report, [], { personId: `person ${index}` })),
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
    const ask = (personId: string) => renderReportPdf(report, [], { personId });
    const outcomes = await Promise.allSettled([ask("viktor"), ask("viktor"), ask("viktor"), ask("olga")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect((await ask("viktor")).byteLength).toBeGreaterThan(1000);
  }, 120_000);

  it("makes none for a client that has gone", async () => {
    await expect(
      renderReportPdf(report, [], { personId: "viktor", signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
  });
});
