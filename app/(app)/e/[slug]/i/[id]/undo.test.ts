import { describe, expect, test } from "vitest";
import type { Incident } from "#lib/incidents/schema.ts";
import { buildFormerValueFields, buildUndoFormFieldsIfChanged } from "./undo.ts";

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

const formWith = (before: Parameters<typeof buildFormerValueFields>[0]): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(buildFormerValueFields(before))) form.set(name, value);
  return form;
};

describe("the fields that undo a change", () => {
  test.each([
    ["severity", { severity: "" }, { severity: "high" }],
    ["assignee", { assignedResponderId: "omar" }, {}],
    ["status", { state: "investigating", assignedResponderId: "" }, { state: "resolved" }],
    ["record", { resolution: "" }, { resolution: "A warning." }],
  ] as const)("name the incident and its new version after a change of the %s", (_, before, after) => {
    expect(buildUndoFormFieldsIfChanged(formWith(before), report(after))).toEqual({
      slug: "spring",
      incidentId: "i",
      ifMatch: "2026-03-14T14:02:00.000Z",
    });
  });

  test("are missing without a change", () => {
    expect(buildUndoFormFieldsIfChanged(formWith({ state: "acknowledged" }), report({}))).toBeUndefined();
    expect(buildUndoFormFieldsIfChanged(formWith({}), report({ severity: "high" }))).toBeUndefined();
  });
});
