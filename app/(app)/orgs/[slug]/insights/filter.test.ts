import { describe, expect, it } from "vitest";
import { parseInsightsFilter, parseInsightsDisplayOptions } from "./filter.ts";

describe("the filters in the address", () => {
  it("are those that the statistics accept, several statuses included", () => {
    const query = {
      status: "submitted,closed,closed",
      severity: "unknown",
      eventId: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
    };
    expect(parseInsightsFilter(query)).toEqual({
      status: "submitted,closed",
      eventId: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    });
  });

  it("have days in place of the time range, and no last day before the first", () => {
    expect(parseInsightsFilter({ timeRange: "1y", from: "2026-03-01", to: "2026-03-14" })).toEqual({
      from: "2026-03-01",
      to: "2026-03-14",
    });
    expect(parseInsightsFilter({ from: "2026-03-14", to: "2026-03-01" })).toEqual({ from: "2026-03-14" });
    expect(parseInsightsFilter({ timeRange: "30d" })).toEqual({});
  });
});

it("a period without a start isn't compared with a previous one", () => {
  const compares = (filter: Parameters<typeof parseInsightsDisplayOptions>[1]) =>
    parseInsightsDisplayOptions({ compare: "true" }, filter).compare;
  expect([{}, { from: "2026-03-01" }, { to: "2026-03-14" }, { timeRange: "all" }].map(compares)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
