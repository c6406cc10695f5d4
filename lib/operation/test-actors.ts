import type { Actor, EventRole } from "#lib/operation/policy.ts";

/** People and incidents of the unit tests of the policy and of what is visible by it. */

export const ORG = "11111111-1111-4111-8111-111111111111";
export const EVENT = "33333333-3333-4333-8333-333333333333";
export const OTHER_EVENT = "44444444-4444-4444-8444-444444444444";

export const createActor = (given: Partial<Actor> = {}): Actor => ({
  id: "55555555-5555-4555-8555-555555555555",
  email: "maya@example.org",
  name: "Maya",
  avatarUrl: null,
  sessionId: "66666666-6666-4666-8666-666666666666",
  hiddenIncidentIds: [],
  systemAdmin: false,
  organizations: [],
  events: [],
  ...given,
});

/** Creates a person with these roles in EVENT. */
export const createEventMember = (...roles: EventRole[]): Actor =>
  createActor({ events: [{ eventId: EVENT, slug: "conf", organizationId: ORG, roles }] });

/** Signed in, without any role. */
export const NORA = createActor();
export const SAM = createActor({ systemAdmin: true });
/** An incident that `NORA`, and each person of these tests, has reported; and one of somebody else. */
export const OWN_INCIDENT = { organizationId: ORG, eventId: EVENT, reporterId: NORA.id };
export const FOREIGN_INCIDENT = { ...OWN_INCIDENT, reporterId: "77777777-7777-4777-8777-777777777777" };
