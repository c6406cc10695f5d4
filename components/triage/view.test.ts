import { describe, expect, it } from "vitest";
import {
  hasExactFilters,
  buildChangedViewHref,
  parseSavedQuery,
  hasIncidentFilters,
  buildViewHref,
  parseIncidentListView,
  STANDARD_VIEWS,
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
    expect(parseIncidentListView(query)).toEqual({ status: "submitted,closed", page: "2" });
  });

  it("reads `priority` as severity", () => {
    expect(parseIncidentListView({ priority: "high" })).toEqual({ severity: "high" });
    expect(parseIncidentListView({ priority: "high", severity: "low" })).toEqual({ severity: "low" });
  });

  it("keeps its order and goes to the first page when a filter changes", () => {
    const view = parseIncidentListView({ status: "closed", sort: "title", order: "asc", page: "4" });
    expect(buildChangedViewHref("/inbox", view, { status: null })).toBe("/inbox?sort=title&order=asc");
    expect(buildViewHref("/inbox", view, { assigned: "me" })).toBe("/inbox?sort=title&order=asc&assigned=me");
  });

  it("counts as filtered by a filter, and not by its order", () => {
    expect(hasIncidentFilters(parseIncidentListView({ sort: "title", page: "2" }))).toBe(false);
    expect(hasIncidentFilters(parseIncidentListView({ pinned: "true" }))).toBe(true);
  });

  it("matches the standard view with the same filters, in any order of values", () => {
    const [mine] = STANDARD_VIEWS.filter(({ name }) => name === "mine");
    const view = parseIncidentListView({
      status: "investigating,submitted,acknowledged",
      assigned: "me",
      sort: "title",
    });
    expect(STANDARD_VIEWS.filter(({ filters }) => hasExactFilters(view, filters))).toEqual([mine]);
  });

  it("is restored from the saved query", () => {
    expect(parseSavedQuery("status=submitted%2Cclosed&search=a+b")).toEqual({
      status: "submitted,closed",
      search: "a b",
    });
  });
});
