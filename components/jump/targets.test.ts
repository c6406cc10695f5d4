import { expect, test } from "vitest";
import { filterJumpTargetsByLabel, buildJumpTargetGroups } from "./targets.ts";

const nothing = { incidents: [], events: [], people: [], pages: [] };
const nameOf = (page: string) => page.toUpperCase();
const page = (label: string) => ({ id: label, label, about: "", href: `/${label}` });

test("empty groups are left out", () => {
  expect(buildJumpTargetGroups(nothing, [], nameOf)).toEqual([]);
  expect(buildJumpTargetGroups(nothing, [page("Account")], nameOf).map(({ kind }) => kind)).toEqual([
    "pages",
  ]);
});

test("an incident links to its page in its event, and a person to their page in the event", () => {
  const event = { name: "Harbour Conf", slug: "harbour-conf" };
  const [incidents, people] = buildJumpTargetGroups(
    {
      ...nothing,
      incidents: [{ id: "1", number: 4821, codeName: "birch-heron", title: "Shouting", event }],
      people: [{ id: "2", name: "Ana & Co", event }],
    },
    [],
    nameOf,
  );
  expect(incidents?.items).toEqual([
    {
      id: "1",
      label: "Shouting",
      about: "birch-heron 4821 · Harbour Conf",
      href: "/e/harbour-conf/i/1",
    },
  ]);
  expect(people?.items[0]?.href).toBe("/e/harbour-conf/team?search=Ana%20%26%20Co");
});

test("a page is found by any part of its name, in any letter case, every word counting", () => {
  const pages = [page("API tokens"), page("Your account")];
  expect(filterJumpTargetsByLabel(pages, "TOK api")).toEqual([pages[0]]);
  expect(filterJumpTargetsByLabel(pages, "tokens account")).toEqual([]);
  expect(filterJumpTargetsByLabel(pages, " ")).toEqual(pages);
});

test("a page of an event is in the group of pages, with its name and its event", () => {
  const pages = [{ page: "team" as const, place: "Harbour Conf", path: "/e/harbour-conf/team" }];
  expect(buildJumpTargetGroups({ ...nothing, pages }, [page("Account")], nameOf)).toEqual([
    {
      kind: "pages",
      items: [
        page("Account"),
        { id: "/e/harbour-conf/team", label: "TEAM", about: "Harbour Conf", href: "/e/harbour-conf/team" },
      ],
    },
  ]);
});
