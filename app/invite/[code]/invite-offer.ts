import { findHighestEventRole } from "#lib/operation/event-roles.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";

/** The organization or event that an invite leads to, and its terms, as the public sees them. */
export type InviteTargetAndRole = {
  organization: { name: string; slug: string; logoUrl?: string | null };
  event: { name: string; slug: string } | null;
  invite: { role: string; outsidePerson?: boolean };
};

/** Returns the name of what the invite joins: the event, else the organization. */
export const getInvitedPlaceName = ({ event, organization }: InviteTargetAndRole): string =>
  event?.name ?? organization.name;

/** Returns the page to which a person goes after accepting: the one where the role's work is. */
export function buildPathAfterAcceptingInvite({ organization, event, invite }: InviteTargetAndRole): string {
  if (!event) return `/orgs/${organization.slug}`;
  return invite.role === "Reporter" ? `/e/${event.slug}` : `/e/${event.slug}/incidents`;
}

type ComparedRole = "this" | "more" | "less";

/**
 * Compares an invite with the person's roles: "this" if they have its role, "more" if they have a stronger one, null
 * if they can use it, as a member can use one for the outside person. "less": their role in the organization is weaker, but only its admins change it (contract 5.3).
 */
export function compareInviteWithHeldRoles(
  { organization, event, invite }: InviteTargetAndRole,
  actor: Pick<Actor, "organizations" | "events">,
): ComparedRole | null {
  if (!event) {
    if (invite.outsidePerson) return null;
    const held = actor.organizations.find(({ slug }) => slug === organization.slug);
    if (!held) return null;
    if (held.role === invite.role) return "this";
    return held.role === "org_admin" ? "more" : "less";
  }
  const held = actor.events.find(({ slug }) => slug === event.slug)?.roles ?? [];
  const invitedRole = invite.role as EventRole;
  if (held.includes(invitedRole)) return "this";
  return held.length > 0 && findHighestEventRole([...held, invitedRole]) !== invitedRole ? "more" : null;
}

/** Lists the keys of the texts for a member, who doesn't need the invite; `notUsedUp` only while others can use it. */
export function listMemberTexts(held: ComparedRole, { usable }: { usable: boolean }) {
  if (held === "this") return ["takenAbout"] as const;
  const about = held === "more" ? "memberAbout" : "weakerAbout";
  return usable ? ([about, "notUsedUp"] as const) : ([about] as const);
}
