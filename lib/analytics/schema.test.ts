import { expect, test } from "vitest";
import { ReportExportQuery, ReportFilter } from "./schema.ts";

/** Which reports numbers and exports may be asked of (contract 10). */

test.each([
  { timeRange: "7d" },
  { timeRange: "ALL" },
  { timeRange: "" },
  { status: "closed,open" },
  { status: "Submitted" },
  { severity: ",high" },
  { severity: "urgent" },
  { severity: "HIGH" },
  { eventId: "harbour" },
])("a filter isn't %o", (query) => {
  const { error } = ReportFilter.safeParse(query);
  expect(error?.issues.map(({ path }) => path[0])).toEqual(Object.keys(query));
});

test.each([undefined, "", "xlsx", "CSV"])("an export has no format %j", (format) => {
  expect(ReportExportQuery.safeParse({ format }).success).toBe(false);
});
