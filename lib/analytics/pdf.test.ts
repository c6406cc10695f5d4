import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { extractPdfTexts } from "#e2e/support/pdf-text.ts";
import type { AnalyticsExportDocument, ExportDocumentReportRow } from "./report.ts";

let renderPdf: typeof import("./pdf.ts").renderPdf;

beforeAll(async () => {
  // The test runner sets a BASE_URL that would affect the output.
  vi.stubEnv("BASE_URL", "");
  ({ renderPdf } = await import("./pdf.ts"));
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

const EMPTY = { kind: "reports" as const, content: { report, rows: [] } };

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

/** Made at the same time, each for another person: as many as may wait. */
const LISTS = {
  long: Array.from({ length: 45 }, (_, index) => line(index)),
  mixed: ["مضايقة لفظية (hall B) عند المكتب", "צעקות ליד הדלפק", "👩‍💻 wrote 🪷 ❤️", "vec\u030cer"].map(
    (title, index) => ({ ...line(index), title }),
  ),
  unknownScript: [{ ...line(0), title: "会議 in the hall" }],
  empty: [],
};

type Outcome = PromiseSettledResult<Uint8Array>;
type Outcomes = Record<keyof typeof LISTS | "secondOfPerson" | "fifth", Outcome>;

async function renderAtTheSameTime(): Promise<Outcomes> {
  const render = (rows: ExportDocumentReportRow[], personId: string) =>
    renderPdf({ kind: "reports", content: { report, rows } }, { personId });
  const pending = {
    long: render(LISTS.long, "viktor"),
    secondOfPerson: render([], "viktor"),
    mixed: render(LISTS.mixed, "olga"),
    unknownScript: render(LISTS.unknownScript, "ada"),
    empty: render(LISTS.empty, "omar"),
    fifth: render([], "maya"),
  };
  const outcomes = await Promise.allSettled(Object.values(pending));
  const names = Object.keys(pending);
  return Object.fromEntries(names.map((name, index) => [name, outcomes[index]])) as Outcomes;
}

describe("renderPdf, of a list of reports", () => {
  let outcomes: Outcomes;
  beforeAll(async () => {
    outcomes = await renderAtTheSameTime();
  }, 120_000);

  const bytesOf = (name: keyof Outcomes): Buffer => {
    const outcome = outcomes[name];
    if (outcome.status === "rejected") throw outcome.reason;
    return Buffer.from(outcome.value);
  };

  it("sets an overview and the list, 22 reports a page, with each script's font in it once", () => {
    const pdf = bytesOf("long").toString("latin1");
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
  });

  it("sets Arabic, Hebrew and emoji, from right to left where the text begins so", () => {
    const texts = extractPdfTexts(bytesOf("mixed"));
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
  });

  it("shows a placeholder for what no font has, and says so", () => {
    const text = extractPdfTexts(bytesOf("unknownScript")).join(" ");
    expect(text).toMatch(/� in the hall/);
    expect(text).toContain("stands where");
  });

  it("makes one at a time for a person and four in all, and refuses more", async () => {
    const refused = Object.entries(outcomes).filter(([, { status }]) => status === "rejected");
    expect(refused.map(([name]) => name)).toEqual(["secondOfPerson", "fifth"]);
    for (const [, outcome] of refused)
      expect(outcome).toMatchObject({ reason: { code: "SERVICE_UNAVAILABLE" } });
    const again = await renderPdf(EMPTY, { personId: "viktor" });
    expect(again.byteLength).toBeGreaterThan(1000);
  }, 120_000);

  it("makes none for a client that has gone", async () => {
    await expect(renderPdf(EMPTY, { personId: "viktor", signal: AbortSignal.abort() })).rejects.toMatchObject(
      {
        code: "SERVICE_UNAVAILABLE",
      },
    );
  });
});
