import type { Actor, EventRole } from "#lib/operation/policy.ts";

/** People and incidents of the unit tests of the policy and of what is visible by it. */

export const TEST_ORGANIZATION_ID = "11111111-1111-4111-8111-111111111111";
/** With letters, since a call may name an id in upper case. */
export const TEST_EVENT_ID = "eeeeeeee-3333-4333-8333-333333333333";
export const OTHER_TEST_EVENT_ID = "44444444-4444-4444-8444-444444444444";

export const createTestActor = (given: Partial<Actor> = {}): Actor => ({
  id: "55555555-5555-4555-8555-555555555555",
  email: "maya@example.org",
  name: "Maya",
  avatarUrl: null,
  sessionId: "66666666-6666-4666-8666-666666666666",
  systemAdmin: false,
  organizations: [],
  events: [],
  ...given,
});

/** Creates a person with these roles in the test event. */
export const createTestEventMember = (...roles: EventRole[]): Actor =>
  createTestActor({
    events: [{ eventId: TEST_EVENT_ID, slug: "conf", organizationId: TEST_ORGANIZATION_ID, roles }],
  });

/** Somebody who is signed in and holds no role. */
export const TEST_ACTOR_WITHOUT_ROLES = createTestActor();
export const TEST_SYSTEM_ADMIN = createTestActor({ systemAdmin: true });
/** An incident that each person of these tests has reported, as they all have the same id. */
export const TEST_INCIDENT_REPORTED_BY_ACTOR = {
  organizationId: TEST_ORGANIZATION_ID,
  eventId: TEST_EVENT_ID,
  reporterId: TEST_ACTOR_WITHOUT_ROLES.id,
};
/** An incident that none of the people of these tests has reported. */
export const TEST_INCIDENT_OF_ANOTHER_PERSON = {
  ...TEST_INCIDENT_REPORTED_BY_ACTOR,
  reporterId: "77777777-7777-4777-8777-777777777777",
};
