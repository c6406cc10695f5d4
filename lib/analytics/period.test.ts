import { describe, expect, it } from "vitest";
import {
  computePeriodEnd,
  fillMonthGaps,
  listChartPoints,
  listMonthsBetween,
  computePeriodStart,
  computePreviousPeriodStart,
  type PeriodFilter,
  type TimeRangeName,
} from "./period.ts";

const now = new Date("2026-03-14T14:02:00Z");
const ranged = (timeRange: TimeRangeName, at = now) => ({ filter: { timeRange }, now: at });
const days = (from?: string, to?: string) => ({
  filter: { timeRange: "30d", from, to } satisfies PeriodFilter,
  now,
});

describe("the start of a range", () => {
  it("is the midnight that begins the day so many days ago", () => {
    expect(computePeriodStart(ranged("30d"))?.toISOString()).toBe("2026-02-12T00:00:00.000Z");
    expect(computePeriodStart(ranged("90d"))?.toISOString()).toBe("2025-12-14T00:00:00.000Z");
  });

  it("stays the same from midnight to midnight", () => {
    const startAt = (at: string) => computePeriodStart(ranged("30d", new Date(at)))?.toISOString();
    expect(startAt("2026-03-14T00:00:00.000Z")).toBe("2026-02-12T00:00:00.000Z");
    expect(startAt("2026-03-14T23:59:59.999Z")).toBe("2026-02-12T00:00:00.000Z");
    expect(startAt("2026-03-15T00:00:00.000Z")).toBe("2026-02-13T00:00:00.000Z");
  });

  it("is the same date of the previous year, and 1 March for 29 February", () => {
    expect(computePeriodStart(ranged("1y"))?.toISOString()).toBe("2025-03-14T00:00:00.000Z");
    expect(computePeriodStart(ranged("1y", new Date("2028-02-29T12:00:00Z")))?.toISOString()).toBe(
      "2027-03-01T00:00:00.000Z",
    );
  });

  it("doesn't exist for all", () => {
    expect(computePeriodStart(ranged("all"))).toBeUndefined();
  });
});

describe("the start of the previous period", () => {
  it("lies as many days, or a year, before that of the range", () => {
    expect(computePreviousPeriodStart(ranged("30d"))?.toISOString()).toBe("2026-01-13T00:00:00.000Z");
    expect(computePreviousPeriodStart(ranged("1y"))?.toISOString()).toBe("2024-03-14T00:00:00.000Z");
    expect(computePreviousPeriodStart(ranged("all"))).toBeUndefined();
  });
});

describe("listMonthsBetween", () => {
  it("runs over the turn of a year without gaps", () => {
    expect(listMonthsBetween("2025-11", "2026-02")).toEqual(["2025-11", "2025-12", "2026-01", "2026-02"]);
  });

  it("gives one month for the same month, and none when the first comes later", () => {
    expect(listMonthsBetween("2026-03", "2026-03")).toEqual(["2026-03"]);
    expect(listMonthsBetween("2026-04", "2026-03")).toEqual([]);
  });
});

describe("monthlyTrends", () => {
  const january = { month: "2026-01", count: 3, resolved: 1 };

  it("fills gaps with zeros, from the first month of the range to the present one", () => {
    expect(fillMonthGaps([january], ranged("90d"))).toEqual([
      { month: "2025-12", count: 0, resolved: 0 },
      january,
      { month: "2026-02", count: 0, resolved: 0 },
      { month: "2026-03", count: 0, resolved: 0 },
    ]);
  });

  it("begins at the first counted month where the range has no start, in whatever order months come", () => {
    const march = { month: "2026-03", count: 1, resolved: 2 };
    expect(fillMonthGaps([march, january], ranged("all")).map(({ month }) => month)).toEqual([
      "2026-01",
      "2026-02",
      "2026-03",
    ]);
  });

  it("is empty where the range has no start and nothing is counted", () => {
    expect(fillMonthGaps([], ranged("all"))).toEqual([]);
  });
});

describe("days that somebody chose", () => {
  const iso = (at: Date | undefined) => at?.toISOString();

  it("include the first and the last one", () => {
    expect(iso(computePeriodStart(days("2026-01-05", "2026-01-20")))).toBe("2026-01-05T00:00:00.000Z");
    expect(iso(computePeriodEnd(days("2026-01-05", "2026-01-20")))).toBe("2026-01-21T00:00:00.000Z");
  });

  it("may have no first or no last one, and end now when the last one isn't over", () => {
    expect(computePeriodStart(days(undefined, "2026-01-20"))).toBeUndefined();
    expect(computePeriodEnd(days("2026-01-05"))).toBeUndefined();
    expect(computePeriodEnd(days("2026-01-05", "2026-03-14"))).toBeUndefined();
  });

  it("are compared with as many days before them", () => {
    expect(iso(computePreviousPeriodStart(days("2026-01-05", "2026-01-20")))).toBe(
      "2025-12-20T00:00:00.000Z",
    );
    expect(iso(computePreviousPeriodStart(days("2026-03-10")))).toBe("2026-03-05T00:00:00.000Z");
    expect(computePreviousPeriodStart(days(undefined, "2026-01-20"))).toBeUndefined();
  });
});

describe("the points of a chart", () => {
  const unitOf = (selection: Parameters<typeof listChartPoints>[1], counted: string[] = []) =>
    listChartPoints(counted, selection).unit;

  it("are days in the short ranges and for up to 36 chosen days, and months above", () => {
    expect((["30d", "90d", "1y", "all"] as const).map((range) => unitOf(ranged(range)))).toEqual([
      "day",
      "day",
      "month",
      "month",
    ]);
    expect(
      [days("2026-01-01", "2026-02-05"), days("2026-01-01", "2026-02-06")].map((one) => unitOf(one)),
    ).toEqual(["day", "month"]);
  });

  it("are years where there would be more than 36 months", () => {
    expect(listChartPoints(["2023-04"], ranged("all")).keys).toHaveLength(36);
    expect(listChartPoints(["2024-01", "2023-03"], ranged("all"))).toEqual({
      unit: "year",
      keys: ["2023", "2024", "2025", "2026"],
    });
  });

  it("of chosen days begin at the first counted month, however early the first day is", () => {
    const selection = days("1900-01-01");
    expect(listChartPoints(["2026-01"], selection)).toEqual({
      unit: "month",
      keys: ["2026-01", "2026-02", "2026-03"],
    });
    expect(listChartPoints([], selection).keys).toEqual([]);
    expect(fillMonthGaps([{ month: "2026-03", count: 1, resolved: 0 }], selection)).toHaveLength(1);
  });

  it("have no gaps, and end with the period", () => {
    expect(listChartPoints([], ranged("30d")).keys).toHaveLength(31);
    expect(listChartPoints([], ranged("30d")).keys.at(-1)).toBe("2026-03-14");
    expect(listChartPoints([], days("2026-02-27", "2026-03-02")).keys).toEqual([
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
      "2026-03-02",
    ]);
    expect(listChartPoints(["2025-12"], days(undefined, "2026-02-10")).keys).toEqual([
      "2025-12",
      "2026-01",
      "2026-02",
    ]);
  });
});
