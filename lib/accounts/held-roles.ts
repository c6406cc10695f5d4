import type { Actor, WithheldRoleReason } from "#lib/operation/policy.ts";

/** The roles that a person holds, before it is known which of them count. */

export type HeldRoles = {
  organizations: WithholdableRole<Actor["organizations"][number]>[];
  events: WithholdableRole<Actor["events"][number]>[];
};
/** `reason`: why this role doesn't count yet; null when it counts. */
type WithholdableRole<Role> = Role & { reason: WithheldRoleReason | null };

/** Leaves out the roles that the person hasn't accepted. */
export const leaveOutInvitations = ({ organizations, events }: HeldRoles): HeldRoles => ({
  organizations: organizations.filter(({ invited }) => !invited),
  events: events.filter(({ invited }) => !invited),
});

/** An unverified address takes precedence over a missing second factor: the person has to fix it first. */
export const withholdUntilVerified = ({ organizations, events }: HeldRoles): HeldRoles => ({
  organizations: organizations.map((heldRoles) => ({ ...heldRoles, reason: "unverified" })),
  events: events.map((heldRoles) => ({ ...heldRoles, reason: "unverified" })),
});

/** @param hasUnverifiedSystemRole whether the person has the system role but hasn't verified their address */
export function separateWithheld(
  actor: Actor,
  { organizations, events }: HeldRoles,
  hasUnverifiedSystemRole = false,
): Actor {
  const activeEvents = events.map(({ reason, ...event }) =>
    reason ? reduceToReporter(event, reason) : event,
  );
  const withheldEvents = events.flatMap(({ reason, ...event }) =>
    reason ? { ...event, reason, roles: event.roles.filter((role) => role !== "Reporter") } : [],
  );
  return {
    ...actor,
    organizations: organizations.filter(({ reason }) => reason === null),
    events: activeEvents.filter(({ roles }) => roles.length > 0),
    withheld: {
      ...(hasUnverifiedSystemRole ? { system: "unverified" as const } : {}),
      organizations: organizations.flatMap(({ reason, ...heldRoles }) =>
        reason ? { ...heldRoles, reason } : [],
      ),
      events: withheldEvents.filter(({ roles }) => roles.length > 0),
    },
  };
}

/**
 * Reduces withheld roles to reporting. Until the address is confirmed, any role lets its holder report, so that
 * someone about to join the team can still report and follow their reports (docs/decisions/032).
 */
function reduceToReporter(
  event: Actor["events"][number],
  reason: WithheldRoleReason,
): Actor["events"][number] {
  const roles = event.roles.filter((role) => role === "Reporter");
  if (roles.length > 0 || reason !== "unverified" || event.invited) return { ...event, roles };
  return { ...event, roles: ["Reporter"], provisional: true };
}
