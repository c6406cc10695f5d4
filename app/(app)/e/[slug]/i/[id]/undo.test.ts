import { describe, expect, test } from "vitest";
import type { Incident } from "#lib/incidents/schema.ts";
import { buildUndoFormFieldsIfUndoable } from "./undo.ts";

const report = (fields: Partial<Incident>): Incident =>
  ({
    id: "i",
    event: { slug: "spring" },
    updatedAt: "2026-03-14T14:02:00.000Z",
    state: "acknowledged",
    severity: null,
    assignedResponderId: null,
    ...fields,
  }) as Incident;

const NOTHING = { state: undefined, severity: undefined, assignedResponderId: undefined };
const PATH = { slug: "spring", incidentId: "i", ifMatch: "2026-03-14T14:02:00.000Z" };

describe("the fields that undo a change", () => {
  test("are the former severity and assignee, also no assignee", () => {
    expect(buildUndoFormFieldsIfUndoable({ ...NOTHING, severity: "" }, report({ severity: "high" }))).toEqual(
      {
        ...PATH,
        severity: "",
      },
    );
    expect(buildUndoFormFieldsIfUndoable({ ...NOTHING, assignedResponderId: "omar" }, report({}))).toEqual({
      ...PATH,
      assignedResponderId: "omar",
    });
  });

  test("are the former state and the assignee that the status change replaced", () => {
    const before = { ...NOTHING, state: "submitted", assignedResponderId: "" };
    const after = report({ state: "investigating", assignedResponderId: "omar" });
    expect(buildUndoFormFieldsIfUndoable(before, after)).toEqual({
      ...PATH,
      state: "submitted",
      assignedResponderId: "",
    });
  });

  test.each([
    ["investigating", "resolved"],
    ["closed", "acknowledged"],
  ] as const)(
    "don't exist for a move from %s to %s, since undoing it would leave reopenedAt or resolvedAt set",
    (was, state) => {
      expect(buildUndoFormFieldsIfUndoable({ ...NOTHING, state: was }, report({ state }))).toBeUndefined();
    },
  );

  test("are missing without a change, and for an unknown status", () => {
    expect(buildUndoFormFieldsIfUndoable({ ...NOTHING, state: "acknowledged" }, report({}))).toBeUndefined();
    expect(buildUndoFormFieldsIfUndoable({ ...NOTHING, state: "gone" }, report({}))).toBeUndefined();
  });
});
