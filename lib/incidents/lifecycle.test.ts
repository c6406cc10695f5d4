import { describe, expect, it } from "vitest";
import {
  canReachReporter,
  isReopenableState,
  computeWorkflowFieldsAfterChange,
  isReportedAsUrgent,
  chooseStateAfterReopening,
} from "#lib/incidents/lifecycle.ts";
import {
  formatTimeFields,
  NEW_REPORT_FIELDS,
  parseTimeFields,
  toTimeFields,
  type WorkflowFields,
} from "#lib/incidents/workflow-fields.ts";
import { INCIDENT_STATES, SEVERITIES } from "#lib/incidents/schema.ts";

const early = new Date("2026-03-01T10:00:00.000Z");
const late = new Date("2026-03-02T10:00:00.000Z");

const newReport: WorkflowFields = NEW_REPORT_FIELDS;

describe("a status change", () => {
  it.each(INCIDENT_STATES.filter((state) => state !== "submitted"))(
    "to %s sets firstResponseAt when it first leaves submitted",
    (state) => {
      expect(computeWorkflowFieldsAfterChange(newReport, { state }, early).firstResponseAt).toEqual(early);
    },
  );

  it("never overwrites firstResponseAt, not even after a return to submitted", () => {
    const acknowledged = computeWorkflowFieldsAfterChange(newReport, { state: "acknowledged" }, early);
    const back = computeWorkflowFieldsAfterChange(acknowledged, { state: "submitted" }, late);
    expect(back.firstResponseAt).toEqual(early);
    expect(computeWorkflowFieldsAfterChange(back, { state: "acknowledged" }, late).firstResponseAt).toEqual(
      early,
    );
  });

  it("to the present state changes no timestamp", () => {
    const resolved = computeWorkflowFieldsAfterChange(newReport, { state: "resolved" }, early);
    expect(
      computeWorkflowFieldsAfterChange(resolved, { state: "resolved", assignedResponderId: "x" }, late),
    ).toEqual({
      ...resolved,
      assignedResponderId: "x",
    });
  });

  it("from resolved to closed keeps resolvedAt", () => {
    const resolved = computeWorkflowFieldsAfterChange(newReport, { state: "resolved" }, early);
    expect(computeWorkflowFieldsAfterChange(resolved, { state: "closed" }, late).resolvedAt).toEqual(early);
  });

  it("out of resolved and closed clears resolvedAt and records reopenedAt", () => {
    for (const done of ["resolved", "closed"] as const) {
      const before = computeWorkflowFieldsAfterChange(newReport, { state: done }, early);
      const after = computeWorkflowFieldsAfterChange(before, { state: "investigating" }, late);
      expect(after.resolvedAt).toBeNull();
      expect(after.reopenedAt).toEqual(late);
    }
  });

  it("sets escalatedAt when severity first becomes critical, and keeps it", () => {
    const critical = computeWorkflowFieldsAfterChange(newReport, { severity: "critical" }, early);
    expect(critical.escalatedAt).toEqual(early);
    const lowered = computeWorkflowFieldsAfterChange(critical, { severity: "low" }, late);
    expect(computeWorkflowFieldsAfterChange(lowered, { severity: "critical" }, late).escalatedAt).toEqual(
      early,
    );
  });

  it("sets escalatedAt when the report leaves submitted after its deadline, and not before it", () => {
    const due = { ...newReport, responseDueAt: early };
    expect(computeWorkflowFieldsAfterChange(due, { state: "acknowledged" }, late)).toMatchObject({
      firstResponseAt: late,
      escalatedAt: late,
    });
    expect(computeWorkflowFieldsAfterChange(due, { severity: "low" }, late).escalatedAt).toBeNull();
    expect(computeWorkflowFieldsAfterChange(due, { state: "closed" }, early).escalatedAt).toBeNull();
    const escalated = { ...due, escalatedAt: early };
    expect(computeWorkflowFieldsAfterChange(escalated, { state: "acknowledged" }, late).escalatedAt).toEqual(
      early,
    );
  });

  it("leaves escalatedAt empty when the report leaves submitted and has no deadline", () => {
    for (const before of [newReport, { ...newReport, responseDueAt: null }])
      expect(
        computeWorkflowFieldsAfterChange(before, { state: "acknowledged" }, late).escalatedAt,
      ).toBeNull();
  });

  it("keeps fields that it doesn't name, and clears those that are null", () => {
    const workflowFields = {
      ...newReport,
      severity: "high" as const,
      assignedResponderId: "x",
      resolution: "done",
    };
    expect(computeWorkflowFieldsAfterChange(workflowFields, {}, early)).toEqual(workflowFields);
    expect(
      computeWorkflowFieldsAfterChange(
        workflowFields,
        { severity: null, assignedResponderId: null, resolution: null },
        early,
      ),
    ).toEqual(newReport);
  });
});

describe("reopening", () => {
  it("is for resolved and closed only", () => {
    expect(INCIDENT_STATES.filter(isReopenableState)).toEqual(["resolved", "closed"]);
  });

  it("leads to investigating with an assignee, else to acknowledged", () => {
    expect(chooseStateAfterReopening("x")).toBe("investigating");
    expect(chooseStateAfterReopening(null)).toBe("acknowledged");
  });
});

describe("a report of danger", () => {
  it("is urgent as critical, and with no other severity", () => {
    expect(SEVERITIES.filter((severity) => isReportedAsUrgent({ severity }))).toEqual(["critical"]);
    expect(isReportedAsUrgent({ severity: null })).toBe(false);
  });
});

describe("a message to the reporter", () => {
  it("reaches an account and a mailbox, and no one without either", () => {
    const reporterId = "55555555-5555-4555-8555-555555555555";
    expect(canReachReporter({ reporterId, hasMailbox: false })).toBe(true);
    expect(canReachReporter({ reporterId: null, hasMailbox: true })).toBe(true);
    expect(canReachReporter({ reporterId: null, hasMailbox: false })).toBe(false);
  });
});

describe("when it happened", () => {
  const day = { incidentOn: "2026-02-28", incidentDayPart: "evening" as const };

  it("changes as a whole, and stays where a change says nothing of it", () => {
    const dated = computeWorkflowFieldsAfterChange(newReport, day, early);
    expect(dated).toMatchObject({ ...day, incidentAt: new Date("2026-02-28T12:00:00Z") });
    expect(computeWorkflowFieldsAfterChange(dated, { severity: "low" }, late)).toMatchObject(day);
    expect(computeWorkflowFieldsAfterChange(dated, { incidentAt: late }, late)).toMatchObject({
      incidentAt: late,
      incidentOn: null,
      incidentDayPart: null,
    });
  });

  it("is read back from the history as it was", () => {
    for (const time of [{ incidentAt: early }, day, { incidentOn: "2026-02-28" }].map(toTimeFields)) {
      const parsed = parseTimeFields(formatTimeFields(time) ?? "");
      expect(parsed).toMatchObject({ incidentOn: time.incidentOn, incidentDayPart: time.incidentDayPart });
      if (!time.incidentOn) expect(parsed.incidentAt).toBe(time.incidentAt?.toISOString());
    }
    expect(formatTimeFields(toTimeFields({}))).toBeNull();
  });
});
