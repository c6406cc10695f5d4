import { expect, it } from "vitest";
import { PresentPeople } from "./present-people.ts";

/** Who is present at an incident, in whichever order messages arrive. */

type Doing = "reading" | "writing" | "gone";

/** Records messages of one person, such as ["reading", "a visit"]; returns which of them count, and what is left. */
function record(...messages: [Doing, string?][]) {
  const people = new PresentPeople();
  const place = { eventId: "spring", incidentId: "one", personId: "omar" };
  const counted = messages.map(([doing, visit]) =>
    people.record({ ...place, doing, ...(visit && { visit }) }, 0),
  );
  return { counted, left: people.list("one", 1).map(({ doing }) => doing), people };
}

it("a message that the end of its visit has overtaken brings nobody back", () => {
  const { counted, left } = record(["reading", "first"], ["gone", "first"], ["reading", "first"]);
  expect([counted, left]).toEqual([[true, true, false], []]);
});

it("somebody who comes back is present, also if the end of their first visit arrives late", () => {
  expect(record(["reading", "first"], ["gone", "first"], ["writing", "second"]).left).toEqual(["writing"]);
  const { counted, left } = record(["reading", "first"], ["reading", "second"], ["gone", "first"]);
  expect([counted, left]).toEqual([[true, true, false], ["reading"]]);
});

it("a message without a visit counts as it arrives", () => {
  expect(record(["reading"], ["gone"], ["reading"]).left).toEqual(["reading"]);
  expect(record(["reading", "first"], ["gone"]).left).toEqual([]);
});

it("the end of a visit counts for somebody of whom nothing else is known", () => {
  expect(record(["gone", "first"]).counted).toEqual([true]);
});

it("a person and the end of a visit are forgotten after 45 seconds", () => {
  const { people } = record(["reading", "first"], ["gone", "second"]);
  expect(people.list("one", 45_000)).toEqual([]);
  people.removeExpired(45_000);
  const second = { eventId: "spring", incidentId: "one", personId: "omar", visit: "second" } as const;
  expect(people.record({ ...second, doing: "reading" }, 45_000)).toBe(true);
});
