import { describe, expect, it } from "vitest";
import { asksFor, changed, filtersIn, isFiltered, only, viewOf, VIEWS } from "./view.ts";

describe("a view", () => {
  it("is read from an address, several values of a name as one, and what is none of it is left out", () => {
    const query = {
      status: ["submitted", "closed"],
      search: "",
      page: "2",
      choose: "event",
      done: "3",
    };
    expect(viewOf(query)).toEqual({ status: "submitted,closed", page: "2" });
  });

  it("knows the other name of severity", () => {
    expect(viewOf({ priority: "high" })).toEqual({ severity: "high" });
    expect(viewOf({ priority: "high", severity: "low" })).toEqual({ severity: "low" });
  });

  it("keeps its order and goes to the first page when a filter changes", () => {
    const view = viewOf({ status: "closed", sort: "title", order: "asc", page: "4" });
    expect(changed("/inbox", view, { status: null })).toBe("/inbox?sort=title&order=asc");
    expect(only("/inbox", view, { assigned: "me" })).toBe("/inbox?sort=title&order=asc&assigned=me");
  });

  it("is filtered by what leaves something out, and not by its order", () => {
    expect(isFiltered(viewOf({ sort: "title", page: "2" }))).toBe(false);
    expect(isFiltered(viewOf({ pinned: "true" }))).toBe(true);
  });

  it("is the one of the rail that asks for the same, in any order of values", () => {
    const [mine] = VIEWS.filter(({ name }) => name === "mine");
    const view = viewOf({ status: "investigating,submitted,acknowledged", assigned: "me", sort: "title" });
    expect(VIEWS.filter(({ filters }) => asksFor(view, filters))).toEqual([mine]);
  });

  it("comes back from the text that is saved", () => {
    expect(filtersIn("status=submitted%2Cclosed&search=a+b")).toEqual({
      status: "submitted,closed",
      search: "a b",
    });
  });
});
