import { ORGANIZATION_ROLES } from "#components/organization/role-words.ts";
import type { Actor } from "#lib/policy.ts";

/** What an invite opens, as the public sees it. */
export type Offer = {
  organization: { name: string; slug: string; logoUrl?: string | null };
  event: { name: string; slug: string } | null;
  invite: { role: string };
};

/** Where somebody goes who took up the offer: to the work of the role. */
export function placeOf({ organization, event, invite }: Offer): string {
  if (!event) return `/orgs/${organization.slug}`;
  return invite.role === "Reporter" ? `/e/${event.slug}` : `/e/${event.slug}/incidents`;
}

/** Does this person have what the invite gives already? */
export function hasTaken({ organization, event, invite }: Offer, actor: Actor): boolean {
  if (!event) return actor.organizations.some(({ slug }) => slug === organization.slug);
  return actor.events.some(
    ({ slug, roles }) => slug === event.slug && roles.some((role) => role === invite.role),
  );
}

/** What each role is called, and what whoever takes it does. */
export const ROLE_WORDS: Record<string, { name: string; about: string }> = {
  org_admin: { ...ORGANIZATION_ROLES.org_admin, name: "Organization admin" },
  org_viewer: { ...ORGANIZATION_ROLES.org_viewer, name: "Organization viewer" },
  Reporter: { name: "Reporter", about: "Sends reports, and follows what becomes of them." },
  Responder: {
    name: "Responder",
    about: "Reads the reports of this event, answers them and looks into them.",
  },
  Admin: { name: "Event admin", about: "Runs the event's page, its team and its reports." },
};
