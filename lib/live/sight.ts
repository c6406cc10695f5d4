import type { Wire } from "#lib/outbox/broadcast.ts";
import { REPORTER_KINDS } from "#lib/notifications/schema.ts";
import { can, isTeam, type Actor, type Permission } from "#lib/operation/policy.ts";

type Fact = NonNullable<Wire["fact"]>;

/** Beside what they are notified of, reporters see that their own record changed. */
const SEEN_BY_REPORTERS: readonly string[] = [
  ...REPORTER_KINDS,
  "incident.created",
  "incident.assigned",
  "incident.changed",
];

/**
 * May this person know that it happened? The policy table decides. That the team has talked, or added a file,
 * is the team's to know.
 */
export function maySee(actor: Actor, fact: Fact): boolean {
  const { kind, organizationId, reporterId } = fact;
  const eventId = fact.eventId ?? undefined;
  if (fact.incidentId && eventId) {
    if (!can(actor, "incident.view", { eventId, reporterId })) return false;
    return isTeam(actor, eventId) || SEEN_BY_REPORTERS.includes(kind);
  }
  const managed = MANAGED[kind === "invite.changed" ? "invites" : "roles"];
  return eventId
    ? can(actor, managed.event, { eventId })
    : can(actor, managed.organization, { organizationId });
}

const MANAGED: Record<"invites" | "roles", Record<"event" | "organization", Permission>> = {
  invites: { event: "event.manageInvites", organization: "organization.manageInvites" },
  roles: { event: "event.manageRoles", organization: "organization.manageMembers" },
};
