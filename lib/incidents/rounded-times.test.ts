import { expect, test } from "vitest";
import { isHistoryEntryTimeRounded } from "./rounded-times.ts";

const QUARTER = "2026-03-14T14:15:00.000Z";
const EXACT = "2026-03-14T14:21:07.124Z";
const ada = { id: "1", name: "Ada" };

test.each([
  ["a report without a name", { action: "submitted", createdAt: QUARTER }, true],
  ["a report that the team took for somebody", { action: "submitted", createdAt: EXACT }, false],
  ["a report with a name", { action: "submitted", actor: ada, createdAt: EXACT }, false],
  [
    "a message from the mailbox",
    { action: "message", comment: { fromMailbox: true }, createdAt: EXACT },
    true,
  ],
  ["a message of the team", { action: "message", actor: ada, comment: { fromMailbox: false } }, false],
  ["a file from the mailbox", { action: "file.added" }, true],
  ["a file of the team", { action: "file.added", actor: ada }, false],
  ["the withdrawal", { action: "withdrawn" }, true],
  ["the end of the mailbox", { action: "mailbox.closed" }, true],
  ["a missed deadline", { action: "deadline" }, false],
])("the time of %s: rounded is %o", (_, entry, expected) => {
  expect(isHistoryEntryTimeRounded({ actor: null, comment: null, createdAt: EXACT, ...entry })).toBe(
    expected,
  );
});
