import { describe, expect, it } from "vitest";
import {
  fillMonthGaps,
  listMonthsBetween,
  splitRange,
  startOfPreviousRange,
  startOfRange,
} from "./period.ts";

const now = new Date("2026-03-14T14:02:00Z");

describe("the start of a range", () => {
  it("is the midnight that begins the day so many days ago", () => {
    expect(startOfRange("30d", now)?.toISOString()).toBe("2026-02-12T00:00:00.000Z");
    expect(startOfRange("90d", now)?.toISOString()).toBe("2025-12-14T00:00:00.000Z");
  });

  it("stays the same from midnight to midnight", () => {
    const startAt = (at: string) => startOfRange("30d", new Date(at))?.toISOString();
    expect(startAt("2026-03-14T00:00:00.000Z")).toBe("2026-02-12T00:00:00.000Z");
    expect(startAt("2026-03-14T23:59:59.999Z")).toBe("2026-02-12T00:00:00.000Z");
    expect(startAt("2026-03-15T00:00:00.000Z")).toBe("2026-02-13T00:00:00.000Z");
  });

  it("is the same date of the previous year, and 1 March for 29 February", () => {
    expect(startOfRange("1y", now)?.toISOString()).toBe("2025-03-14T00:00:00.000Z");
    expect(startOfRange("1y", new Date("2028-02-29T12:00:00Z"))?.toISOString()).toBe(
      "2027-03-01T00:00:00.000Z",
    );
  });

  it("doesn't exist for all", () => {
    expect(startOfRange("all", now)).toBeUndefined();
  });
});

describe("the start of the previous period", () => {
  it("lies as many days, or a year, before that of the range", () => {
    expect(startOfPreviousRange("30d", now)?.toISOString()).toBe("2026-01-13T00:00:00.000Z");
    expect(startOfPreviousRange("1y", now)?.toISOString()).toBe("2024-03-14T00:00:00.000Z");
    expect(startOfPreviousRange("all", now)).toBeUndefined();
  });
});

describe("the parts of a range", () => {
  const partsAt = (at: string) => splitRange("30d", new Date(at));

  it("begin with the first day and the first whole month", () => {
    expect(partsAt("2026-03-14T14:02:00Z")).toEqual({ firstDay: "2026-02-12", firstMonth: "2026-03-01" });
    expect(partsAt("2026-01-30T12:00:00Z")).toEqual({ firstDay: "2025-12-31", firstMonth: "2026-01-01" });
  });

  it("have no days where the range begins with a month", () => {
    expect(partsAt("2026-03-31T12:00:00Z")).toEqual({ firstDay: "2026-03-01", firstMonth: "2026-03-01" });
  });

  it("don't exist for all, which has only months", () => {
    expect(splitRange("all", now)).toBeUndefined();
  });
});

describe("monthsBetween", () => {
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
    expect(fillMonthGaps([january], startOfRange("90d", now), now)).toEqual([
      { month: "2025-12", count: 0, resolved: 0 },
      january,
      { month: "2026-02", count: 0, resolved: 0 },
      { month: "2026-03", count: 0, resolved: 0 },
    ]);
  });

  it("begins at the first counted month where the range has no start, in whatever order months come", () => {
    const march = { month: "2026-03", count: 1, resolved: 2 };
    expect(fillMonthGaps([march, january], undefined, now).map(({ month }) => month)).toEqual([
      "2026-01",
      "2026-02",
      "2026-03",
    ]);
  });

  it("is empty where the range has no start and nothing is counted", () => {
    expect(fillMonthGaps([], undefined, now)).toEqual([]);
  });
});
