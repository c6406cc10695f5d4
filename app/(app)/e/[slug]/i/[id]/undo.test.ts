import { describe, expect, test } from "vitest";
import type { Incident } from "#lib/incidents/schema.ts";
import { buildUndoFormFieldsIfChanged } from "./undo.ts";

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

const NOTHING = {
  state: undefined,
  severity: undefined,
  assignedResponderId: undefined,
  resolution: undefined,
};

describe("the fields that undo a change", () => {
  test.each([
    ["severity", { ...NOTHING, severity: "" }, { severity: "high" }],
    ["assignee", { ...NOTHING, assignedResponderId: "omar" }, {}],
    ["status", { ...NOTHING, state: "investigating", assignedResponderId: "" }, { state: "resolved" }],
    ["record", { ...NOTHING, resolution: "" }, { resolution: "A warning." }],
  ] as const)("name the incident and its new version after a change of the %s", (_, before, after) => {
    expect(buildUndoFormFieldsIfChanged(before, report(after))).toEqual({
      slug: "spring",
      incidentId: "i",
      ifMatch: "2026-03-14T14:02:00.000Z",
    });
  });

  test("are missing without a change", () => {
    expect(buildUndoFormFieldsIfChanged({ ...NOTHING, state: "acknowledged" }, report({}))).toBeUndefined();
    expect(buildUndoFormFieldsIfChanged(NOTHING, report({ severity: "high" }))).toBeUndefined();
  });
});
