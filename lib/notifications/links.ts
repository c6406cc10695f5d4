import { env } from "#lib/env.ts";

type Target = {
  kind: string;
  incidentId: string | null;
  event: { slug: string } | null;
  organization: { slug: string } | null;
};

/** The page that a notification is about; links come from BASE_URL only (rulings R8). */
export function linkTo({ kind, incidentId, event, organization }: Target): string {
  const { baseUrl } = env();
  const invites = kind === "invite.changed";
  if (event && incidentId) return `${baseUrl}/e/${event.slug}/i/${incidentId}`;
  if (event) return `${baseUrl}/e/${event.slug}${invites ? "/invites" : ""}`;
  if (organization) return `${baseUrl}/orgs/${organization.slug}${invites ? "/invites" : ""}`;
  return notificationsPage();
}

/** The list of one's own notifications, where one also chooses what is mailed. */
export const notificationsPage = (): string => `${env().baseUrl}/notifications`;
