import { describe, expect, it } from "vitest";
import { canReopen, standingAfter, stateAfterReopening, type Standing } from "#lib/incidents/lifecycle.ts";
import { STATES } from "#lib/incidents/schema.ts";

const early = new Date("2026-03-01T10:00:00.000Z");
const late = new Date("2026-03-02T10:00:00.000Z");

const fresh: Standing = {
  state: "submitted",
  severity: null,
  assignedResponderId: null,
  resolution: null,
  firstResponseAt: null,
  resolvedAt: null,
  escalatedAt: null,
  reopenedAt: null,
};

describe("a move", () => {
  it.each(STATES.filter((state) => state !== "submitted"))(
    "to %s sets firstResponseAt when it first leaves submitted",
    (state) => {
      expect(standingAfter(fresh, { state }, early).firstResponseAt).toEqual(early);
    },
  );

  it("never overwrites firstResponseAt, also not after a way back to submitted", () => {
    const answered = standingAfter(fresh, { state: "acknowledged" }, early);
    const back = standingAfter(answered, { state: "submitted" }, late);
    expect(back.firstResponseAt).toEqual(early);
    expect(standingAfter(back, { state: "acknowledged" }, late).firstResponseAt).toEqual(early);
  });

  it("to the present state changes no timestamp", () => {
    const resolved = standingAfter(fresh, { state: "resolved" }, early);
    expect(standingAfter(resolved, { state: "resolved", assignedResponderId: "x" }, late)).toEqual({
      ...resolved,
      assignedResponderId: "x",
    });
  });

  it("from resolved to closed keeps resolvedAt", () => {
    const resolved = standingAfter(fresh, { state: "resolved" }, early);
    expect(standingAfter(resolved, { state: "closed" }, late).resolvedAt).toEqual(early);
  });

  it("out of resolved and closed clears resolvedAt and records reopenedAt", () => {
    for (const done of ["resolved", "closed"] as const) {
      const before = standingAfter(fresh, { state: done }, early);
      const after = standingAfter(before, { state: "investigating" }, late);
      expect(after.resolvedAt).toBeNull();
      expect(after.reopenedAt).toEqual(late);
    }
  });

  it("sets escalatedAt when severity first becomes critical, and keeps it", () => {
    const critical = standingAfter(fresh, { severity: "critical" }, early);
    expect(critical.escalatedAt).toEqual(early);
    const calmer = standingAfter(critical, { severity: "low" }, late);
    expect(standingAfter(calmer, { severity: "critical" }, late).escalatedAt).toEqual(early);
  });

  it("leaves fields alone that it doesn't name, and empties those that it sets to null", () => {
    const given = { ...fresh, severity: "high" as const, assignedResponderId: "x", resolution: "done" };
    expect(standingAfter(given, {}, early)).toEqual(given);
    expect(
      standingAfter(given, { severity: null, assignedResponderId: null, resolution: null }, early),
    ).toEqual(fresh);
  });
});

describe("reopening", () => {
  it("is for resolved and closed only", () => {
    expect(STATES.filter(canReopen)).toEqual(["resolved", "closed"]);
  });

  it("leads to investigating with an assignee, else to acknowledged", () => {
    expect(stateAfterReopening("x")).toBe("investigating");
    expect(stateAfterReopening(null)).toBe("acknowledged");
  });
});
