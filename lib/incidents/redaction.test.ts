import { describe, expect, test } from "vitest";
import type { IncidentRow } from "#lib/incidents/record-queries.ts";
import { isShownToReporter, redactIncidentForActor } from "#lib/incidents/redaction.ts";
import type { RelatedFile } from "#lib/incidents/schema.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";

const EVENT = "33333333-3333-4333-8333-333333333333";
const MAYA = { id: "55555555-5555-4555-8555-555555555555", name: "Maya", email: "maya@example.org" };
const OMAR = { id: "66666666-6666-4666-8666-666666666666", name: "Omar", email: "omar@example.org" };

const actor = (person: typeof MAYA, ...roles: EventRole[]): Actor => ({
  ...person,
  avatarUrl: null,
  sessionId: "77777777-7777-4777-8777-777777777777",
  systemAdmin: false,
  organizations: [],
  events: [{ eventId: EVENT, slug: "conf", organizationId: "1", roles }],
});

const file = (id: string, given: Partial<RelatedFile>) =>
  ({ id, filename: `${id}.jpg`, visibleToReporter: false, uploadedBy: null, ...given }) as RelatedFile;

const teamFile = file("team", { uploadedBy: { id: OMAR.id, name: OMAR.name } });
const sharedFile = file("shared", { visibleToReporter: true, uploadedBy: { id: OMAR.id, name: OMAR.name } });
const ownFile = file("own", { uploadedBy: { id: MAYA.id, name: MAYA.name } });
const orphanFile = file("orphan", {});

const row = (given: Partial<IncidentRow> = {}) =>
  ({
    id: "88888888-8888-4888-8888-888888888888",
    title: "Shouting at the desk",
    eventId: EVENT,
    resolution: "We spoke with everybody.",
    reporter: MAYA,
    assignedResponder: OMAR,
    relatedFiles: [teamFile, sharedFile, ownFile, orphanFile],
    ...given,
  }) as IncidentRow;

describe("an incident", () => {
  test.each(["Responder", "Admin"] as const)("is complete for a %s of its event", (role) => {
    const internal = row();
    expect(redactIncidentForActor(actor(OMAR, role), internal)).toBe(internal);
  });

  test("shows a reporter their own address and hides everybody else's", () => {
    const { reporter, assignedResponder } = redactIncidentForActor(actor(MAYA, "Reporter"), row());
    expect(reporter).toEqual(MAYA);
    expect(assignedResponder).toEqual({ ...OMAR, email: null });
  });

  test("hides the reporter's address from another person below the team", () => {
    const { reporter } = redactIncidentForActor(actor(OMAR, "Reporter"), row());
    expect(reporter).toEqual({ ...MAYA, email: null });
  });

  test("shows the phone number to the team only, not even to the reporter", () => {
    const callable = row({ contactPhone: "+1 555 0100" });
    expect(redactIncidentForActor(actor(MAYA, "Reporter"), callable).contactPhone).toBeNull();
    expect(redactIncidentForActor(actor(OMAR, "Responder"), callable).contactPhone).toBe("+1 555 0100");
  });

  test("names nobody where there is nobody", () => {
    const redacted = redactIncidentForActor(
      actor(MAYA, "Reporter"),
      row({ reporter: null, assignedResponder: null }),
    );
    expect([redacted.reporter, redacted.assignedResponder]).toEqual([null, null]);
  });

  test("keeps the team's record from a reporter", () => {
    expect(redactIncidentForActor(actor(MAYA, "Reporter"), row()).resolution).toBeNull();
  });

  test("shows a reporter the files they sent and those shared with them, without who sent them", () => {
    const { relatedFiles } = redactIncidentForActor(actor(MAYA, "Reporter"), row());
    expect(relatedFiles.map(({ id }) => id)).toEqual(["shared", "own"]);
    for (const one of relatedFiles)
      expect([one.uploadedBy, one.visibleToReporter, one.filename]).toEqual([
        undefined,
        undefined,
        `${one.id}.jpg`,
      ]);
  });

  test("keeps all other fields", () => {
    const redacted = redactIncidentForActor(actor(MAYA, "Reporter"), row());
    expect([redacted.id, redacted.title, redacted.eventId]).toEqual([row().id, row().title, EVENT]);
  });
});

test("a reporter's own page hears of what the reporter sees", () => {
  expect((["title", "state", "severity"] as const).every(isShownToReporter)).toBe(true);
  expect((["resolution", "reportedPersonName"] as const).some(isShownToReporter)).toBe(false);
});
