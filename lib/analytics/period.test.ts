import { describe, expect, it } from "vitest";
import { fillMonthGaps, listMonthsBetween, splitRange, startOfRange } from "./period.ts";

const now = new Date("2026-03-14T14:02:00Z");

describe("startOf", () => {
  it("counts days back to the same time of day", () => {
    expect(startOfRange("30d", now)?.toISOString()).toBe("2026-02-12T14:02:00.000Z");
    expect(startOfRange("90d", now)?.toISOString()).toBe("2025-12-14T14:02:00.000Z");
  });

  it("goes a year back to the same day, and from 29 February to 1 March", () => {
    expect(startOfRange("1y", now)?.toISOString()).toBe("2025-03-14T14:02:00.000Z");
    expect(startOfRange("1y", new Date("2028-02-29T12:00:00Z"))?.toISOString()).toBe(
      "2027-03-01T12:00:00.000Z",
    );
  });

  it("has no start for all", () => {
    expect(startOfRange("all", now)).toBeUndefined();
  });
});

describe("piecesOf", () => {
  const of = (at: string) => splitRange("30d", new Date(at));

  it("tells the day that a range begins in, its first whole day and its first whole month", () => {
    expect(of("2026-03-14T14:02:00Z")).toEqual({
      brokenDay: "2026-02-12",
      firstDay: "2026-02-13",
      firstMonth: "2026-03-01",
    });
  });

  it("has no broken day where the range begins at midnight, and no whole days where it begins with a month", () => {
    const [day, month] = ["2026-02-12", "2026-03-01"];
    expect(of("2026-03-14T00:00:00Z")).toEqual({ brokenDay: day, firstDay: day, firstMonth: month });
    expect(of("2026-03-31T00:00:00Z")).toEqual({ brokenDay: month, firstDay: month, firstMonth: month });
    expect(of("2026-03-30T12:00:00Z")).toEqual({
      brokenDay: "2026-02-28",
      firstDay: month,
      firstMonth: month,
    });
  });

  it("has nothing but months for all", () => expect(splitRange("all", now)).toBeUndefined());
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
