import { describe, expect, it } from "vitest";
import {
  hasExactlyTheseFilters,
  buildChangedViewHref,
  parseSavedViewQuery,
  hasIncidentFilters,
  buildReplacedFiltersHref,
  parseIncidentListViewParams,
  STANDARD_INBOX_VIEWS,
} from "./view.ts";

describe("a view", () => {
  it("is parsed from an address: values of one name are joined, and unknown parameters left out", () => {
    const query = {
      status: ["submitted", "closed"],
      search: "",
      page: "2",
      choose: "event",
      done: "3",
    };
    expect(parseIncidentListViewParams(query)).toEqual({ status: "submitted,closed", page: "2" });
  });

  it("reads `priority` as severity", () => {
    expect(parseIncidentListViewParams({ priority: "high" })).toEqual({ severity: "high" });
    expect(parseIncidentListViewParams({ priority: "high", severity: "low" })).toEqual({ severity: "low" });
  });

  it("keeps its order and goes to the first page when a filter changes", () => {
    const view = parseIncidentListViewParams({ status: "closed", sort: "title", order: "asc", page: "4" });
    expect(buildChangedViewHref("/inbox", view, { status: null })).toBe("/inbox?sort=title&order=asc");
    expect(buildReplacedFiltersHref("/inbox", view, { assigned: "me" })).toBe(
      "/inbox?sort=title&order=asc&assigned=me",
    );
  });

  it("counts as filtered by a filter, and not by its order", () => {
    expect(hasIncidentFilters(parseIncidentListViewParams({ sort: "title", page: "2" }))).toBe(false);
    expect(hasIncidentFilters(parseIncidentListViewParams({ pinned: "true" }))).toBe(true);
  });

  it("matches the standard view with the same filters, in any order of values", () => {
    const [mine] = STANDARD_INBOX_VIEWS.filter(({ name }) => name === "mine");
    const view = parseIncidentListViewParams({
      status: "investigating,submitted,acknowledged",
      assigned: "me",
      sort: "title",
    });
    expect(STANDARD_INBOX_VIEWS.filter(({ filters }) => hasExactlyTheseFilters(view, filters))).toEqual([
      mine,
    ]);
  });

  it("is restored from the saved query", () => {
    expect(parseSavedViewQuery("status=submitted%2Cclosed&search=a+b")).toEqual({
      status: "submitted,closed",
      search: "a b",
    });
  });
});
