import { expect, test } from "vitest";
import { createAuditLabels } from "./labels.ts";

const { entry, right } = createAuditLabels("en");

test.each([
  [
    { changed: ["state", "severity"], fromState: "submitted", toState: "acknowledged", severity: "high" },
    "Changed the status from Submitted to Acknowledged · Changed the severity to High",
  ],
  [
    { changed: ["severity"], fromState: "closed", toState: "closed", severity: null },
    "Changed the severity to Not set",
  ],
  [{ changed: ["assignedResponderId"], undo: true }, "Undid a change: Changed who it’s assigned to"],
  [
    { fromState: "submitted", toState: "closed", severity: "low" },
    "Changed the status from Submitted to Closed",
  ],
  [
    { changed: ["severity", "resolution", "novelty"], severity: "low" },
    "Changed the severity to Low · Changed the team’s record · Changed an incident: novelty",
  ],
  [{ fromState: "closed", toState: "closed", severity: "low" }, "Changed an incident"],
])("a change of an incident with %j says what changed", (data, text) =>
  expect(entry({ action: "incident.change", data })).toBe(text),
);

test("a change of settings names the fields, also one without a label", () =>
  expect(entry({ action: "event.update", data: { fields: ["name", "isActive", "novelty"] } })).toBe(
    "Changed the event: Name, Active, novelty",
  ));

test("other actions are as in the filter", () => {
  const data = { fields: "none", changed: ["severity"] };
  expect(entry({ action: "note.create", data })).toBe("Wrote a team note");
  expect(entry({ action: "later.invented", data: {} })).toBe("later.invented");
});

test("entries that were signed under an earlier name have the present label", () => {
  expect(entry({ action: "incident.recuse", data: {} })).toBe(
    entry({ action: "incident.stepOut", data: {} }),
  );
  expect(right("escalationContact")).toBe("Outside person");
});
