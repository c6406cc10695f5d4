import { findHighestRole, type Actor, type EventRole } from "#lib/operation/policy.ts";

/** What an invite opens, as the public sees it. */
export type InviteOffer = {
  organization: { name: string; slug: string; logoUrl?: string | null };
  event: { name: string; slug: string } | null;
  invite: { role: string };
};

/** What people call what they join. */
export const getOfferName = ({ event, organization }: InviteOffer): string =>
  event?.name ?? organization.name;

/** Where somebody goes who took up the offer: to the work of the role. */
export function buildOfferPath({ organization, event, invite }: InviteOffer): string {
  if (!event) return `/orgs/${organization.slug}`;
  return invite.role === "Reporter" ? `/e/${event.slug}` : `/e/${event.slug}/incidents`;
}

/**
 * What a person has of the offer already: the very role, or a stronger one, with which the invite would be refused
 * (contract 2.7, 5.3). Any membership of an organization is as good as another: its admins change it.
 */
export function compareWithHeldRoles(
  { organization, event, invite }: InviteOffer,
  actor: Actor,
): "this" | "more" | null {
  if (!event) {
    const held = actor.organizations.find(({ slug }) => slug === organization.slug);
    return held ? (held.role === invite.role ? "this" : "more") : null;
  }
  const held = actor.events.find(({ slug }) => slug === event.slug)?.roles ?? [];
  const offered = invite.role as EventRole;
  if (held.includes(offered)) return "this";
  return held.length > 0 && findHighestRole([...held, offered]) !== offered ? "more" : null;
}
