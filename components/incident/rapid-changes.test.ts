import { expect, test } from "vitest";
import { groupRapidChanges } from "./rapid-changes.ts";

const omar = { id: "omar" };
const entry = (action: string, minute: number, actor: { id: string } | null = omar) => ({
  kind: action.startsWith("file") ? "files" : action === "note" ? "notes" : "changes",
  action,
  actor,
  createdAt: new Date(Date.UTC(2026, 2, 14, 9, minute)).toISOString(),
});
const sizes = (entries: ReturnType<typeof entry>[]) => groupRapidChanges(entries).map(({ length }) => length);

test("four minor changes of one person in a row are grouped, three are not", () => {
  const small = ["severity", "title", "file.added", "assignee"].map((action, at) => entry(action, at));
  expect(sizes(small)).toEqual([4]);
  expect(sizes(small.slice(1))).toEqual([1, 1, 1]);
});

test("a note, a status change, another person and a pause end a group", () => {
  const four = (from: number, actor = omar) => [0, 1, 2, 3].map((at) => entry("title", from + at, actor));
  expect(sizes([...four(0), entry("note", 4), ...four(5)])).toEqual([4, 1, 4]);
  expect(sizes([...four(0), entry("state", 4), ...four(5)])).toEqual([4, 1, 4]);
  expect(sizes([...four(0), ...four(4, { id: "ada" })])).toEqual([4, 4]);
  expect(sizes([...four(0), ...four(20)])).toEqual([4, 4]);
});

test("grouping keeps every entry in its order", () => {
  const entries = [entry("submitted", 0, null), entry("title", 1), entry("note", 2), entry("severity", 3)];
  expect(groupRapidChanges(entries).flat()).toEqual(entries);
});
