import { describe, expect, it } from "vitest";
import { listInvitationsNeededByCall, type IncidentsByRole } from "#lib/operation/pending-invitation.ts";
import type { Actor, EventRole, PermissionSubject } from "#lib/operation/policy.ts";
import { createTestActor, TEST_EVENT_ID, TEST_ORGANIZATION_ID } from "#lib/operation/test-actors.ts";

const OTHER_EVENT_ID = "00000000-0000-4000-8000-0000000000a1";
const OTHER_ORGANIZATION_ID = "00000000-0000-4000-8000-0000000000a2";
const ACCEPTED_EVENT_ID = "00000000-0000-4000-8000-0000000000a3";

const event = (eventId: string, slug: string, role: EventRole) => ({
  eventId,
  slug,
  organizationId: TEST_ORGANIZATION_ID,
  roles: [role],
});
const invited = createTestActor({
  organizations: [
    { organizationId: TEST_ORGANIZATION_ID, slug: "org", role: "org_admin", invited: true },
    { organizationId: OTHER_ORGANIZATION_ID, slug: "other", role: "org_viewer" },
  ],
  events: [
    { ...event(TEST_EVENT_ID, "conf", "Responder"), invited: true },
    { ...event(OTHER_EVENT_ID, "camp", "Reporter"), invited: true },
    event(ACCEPTED_EVENT_ID, "fair", "Admin"),
  ],
});
const toEvent = (eventId: string) => ({ organizationId: TEST_ORGANIZATION_ID, eventId });

describe("the invitations that a call in an organization or event needs", () => {
  const listNeeded = (right: string, container: PermissionSubject, actor: Actor = invited) =>
    listInvitationsNeededByCall(actor, { right, container, incidents: undefined });

  it("are the one to it if the right comes from there", () => {
    expect(listNeeded("event:Responder", toEvent(TEST_EVENT_ID))).toEqual([toEvent(TEST_EVENT_ID)]);
    expect(listNeeded("organization:org_admin", { organizationId: TEST_ORGANIZATION_ID })).toEqual([
      { organizationId: TEST_ORGANIZATION_ID, eventId: null },
    ]);
  });

  it.each([
    ["an accepted role in the event", "event:Admin", toEvent(ACCEPTED_EVENT_ID)],
    [
      "an accepted role in the organization",
      "organization:org_viewer",
      { organizationId: OTHER_ORGANIZATION_ID },
    ],
    ["another kind of right", "self", toEvent(TEST_EVENT_ID)],
  ])("are none with %s", (_, right, container) => {
    expect(listNeeded(right, container)).toEqual([]);
  });

  it("are none for a SystemAdmin", () => {
    expect(listNeeded("event:Responder", toEvent(TEST_EVENT_ID), { ...invited, systemAdmin: true })).toEqual(
      [],
    );
  });
});

describe("the invitations that a call across events needs", () => {
  const listNeeded = (incidents: IncidentsByRole | undefined, actor: Actor = invited) =>
    listInvitationsNeededByCall(actor, { right: "self", container: {}, incidents });

  it.each<[string, IncidentsByRole | undefined, string[]]>([
    ["all, if it names no event", {}, [TEST_EVENT_ID, OTHER_EVENT_ID]],
    ["those to events that it names by slug", { events: ["camp", "fair"] }, [OTHER_EVENT_ID]],
    ["those to events that it names by id", { events: [TEST_EVENT_ID.toUpperCase()] }, [TEST_EVENT_ID]],
    ["those to events on whose team the person is", { team: true }, [TEST_EVENT_ID]],
    ["none, if it names other events", { events: ["fair", "CONF"] }, []],
    ["none, if it uses no event role", undefined, []],
  ])("are %s", (_, incidents, eventIds) => {
    expect(listNeeded(incidents)).toEqual(eventIds.map(toEvent));
  });

  it("are none for a SystemAdmin", () => {
    expect(listNeeded({}, { ...invited, systemAdmin: true })).toEqual([]);
  });
});
