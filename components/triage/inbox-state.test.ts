import { describe, expect, it } from "vitest";
import { createInboxState, createRefreshedInboxState } from "./inbox-state.tsx";
import type { InboxRowData } from "./row-data.ts";

/** What stays selected when the server sends the list again. */

const toRows = (ids: readonly string[]) => ids.map((id) => ({ id }) as InboxRowData);
const selected = { ...createInboxState(["one", "two"]), allMatching: true };

describe("a list that the server sends again", () => {
  it("keeps the selection of all matching incidents, and of its rows", () => {
    const { ticked, allMatching } = createRefreshedInboxState(selected, true, toRows(["zero", "one"]));
    expect([[...ticked], allMatching]).toEqual([["one"], true]);
  });

  it("selects all matching incidents no longer once its checked rows have left it", () => {
    expect(createRefreshedInboxState(selected, true, toRows(["three"])).allMatching).toBe(false);
  });
});

it("another list doesn’t take over the selection of all matching incidents", () => {
  const { ticked, allMatching } = createRefreshedInboxState(selected, false, toRows(["one"]));
  expect([[...ticked], allMatching]).toEqual([["one"], false]);
});
