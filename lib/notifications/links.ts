import { OPEN_STATES } from "#lib/access/incident-states.ts";
import { env } from "#lib/env.ts";
import { EVENT_WITHOUT_READER_KIND, REPORTS_WAITING_KIND } from "#lib/jobs/outbox-events.ts";

type LinkTarget = {
  kind: string;
  incidentId: string | null;
  event: { slug: string } | null;
  organization: { slug: string } | null;
  /** The person hasn't accepted their role there. */
  invited: boolean;
};

/** Builds the URL of the page that a notification is about; links use BASE_URL only (contract 13.1). */
export function buildNotificationTargetUrl({
  kind,
  incidentId,
  event,
  organization,
  invited,
}: LinkTarget): string {
  const { baseUrl } = env();
  if (invited) return buildInvitationsPageUrl();
  const invites = kind === "invite.changed";
  if (event && kind === REPORTS_WAITING_KIND) return buildOpenIncidentsPageUrl(event.slug);
  // Who may act on it often has no role in the event.
  if (organization && kind === EVENT_WITHOUT_READER_KIND) return `${baseUrl}/orgs/${organization.slug}`;
  if (event && incidentId) return `${baseUrl}/e/${event.slug}/i/${incidentId}`;
  if (event) return `${baseUrl}/e/${event.slug}${invites ? "/team#invites" : ""}`;
  if (organization) return `${baseUrl}/orgs/${organization.slug}${invites ? "/members#invites" : ""}`;
  return buildNotificationsPageUrl();
}

/** Builds the URL of the inbox's view of an event's open reports. */
const buildOpenIncidentsPageUrl = (slug: string): string =>
  `${env().baseUrl}/inbox?${new URLSearchParams({ status: OPEN_STATES.join(","), event: slug })}`;

/** Builds the URL of the list of an event's reports. */
export const buildEventIncidentsPageUrl = (slug: string): string => `${env().baseUrl}/e/${slug}/incidents`;

/** Builds the URL of the page on which a person accepts or declines roles. */
export const buildInvitationsPageUrl = (): string => `${env().baseUrl}${INVITATIONS_PATH}`;

export const INVITATIONS_PATH = "/account/invitations";

/** Builds the URL of the current user's notifications, which links to the email settings. */
export const buildNotificationsPageUrl = (): string => `${env().baseUrl}/notifications`;
