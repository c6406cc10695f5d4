import type { Metadata } from "next";
import { AuditLog } from "#components/audit/audit-log.tsx";
import { readAuditLogQueryFromPageUrl, buildAuditCsvHref } from "#components/audit/audit-query.ts";
import type { DisplayedAuditEntry } from "#components/audit/audit-table.tsx";
import { ORGANIZATION_AUDIT_ACTION_GROUPS } from "#components/audit/audit-text.ts";
import { OrganizationHeader } from "#components/organization/organization-header.tsx";
import { definePage } from "#components/shell/page.tsx";
import { showEventsSummary } from "#lib/analytics/operations.ts";
import { throwForbidden, loadPageData } from "#lib/http/page.ts";
import { listOrganizationAudit, verifyOrganizationAudit } from "#lib/audit-log/operations.ts";
import { listOrganizationMembers } from "#lib/organizations/operations.ts";
import { hasTeamAccessToEvent } from "#lib/operation/policy.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../organization.ts";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "audit");

/** The audit log of an organization and its events, for the organization's admins. */
export default definePage(async function OrganizationAudit({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const query = await searchParams;
  const { organization, actor, may } = await loadOrganizationPage(slug);
  if (!may.viewAudit) throwForbidden();
  const list = await loadPageData(
    listOrganizationAudit,
    { orgSlug: slug },
    readAuditLogQueryFromPageUrl(query),
  );
  const verdict =
    query.verify === "1" ? await loadPageData(verifyOrganizationAudit, { orgSlug: slug }) : null;
  const [{ members }, { events }] = await Promise.all([
    loadPageData(listOrganizationMembers, { orgSlug: slug }),
    loadPageData(showEventsSummary, { orgSlug: slug }),
  ]);
  const place: AuditPageContext = {
    path: `/orgs/${slug}`,
    events: new Map(events.map((event) => [event.id, event])),
    readsReportsOf: (eventId) => hasTeamAccessToEvent(actor, eventId),
  };
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHeader organization={organization} current="audit" may={may} />
      <AuditLog
        path={`/orgs/${slug}/audit`}
        query={query}
        list={list}
        now={new Date()}
        groups={ORGANIZATION_AUDIT_ACTION_GROUPS}
        people={members.map(({ user }) => user)}
        csv={buildAuditCsvHref(`/api/organizations/${organization.id}/audit`, query)}
        verdict={verdict}
        linkTo={(entry) => findObjectHref(entry, place)}
        eventNameOf={({ eventId }) => place.events.get(eventId ?? "")?.name ?? null}
      />
    </div>
  );
});

type AuditPageContext = {
  path: string;
  /** The organization's events, by id. */
  events: ReadonlyMap<string, { slug: string; name: string }>;
  readsReportsOf: (eventId: string) => boolean;
};

/** Returns the page of the incident or object an entry is about, if the reader may open it. */
function findObjectHref(
  { objectType, objectId, incidentId, eventId, action }: DisplayedAuditEntry,
  { path, events, readsReportsOf }: AuditPageContext,
): string | null {
  const event = eventId === null ? undefined : events.get(eventId);
  if (incidentId)
    return event && eventId && readsReportsOf(eventId) ? `/e/${event.slug}/i/${incidentId}` : null;
  if (!objectId || action.endsWith(".delete")) return null;
  if (objectType === "webhook") return `${path}/webhooks/${objectId}`;
  if (objectType === "serviceToken") return `${path}/tokens`;
  if (objectType === "member") return `${path}/members`;
  if (!event) return objectType === "invite" ? `${path}/members#invites` : null;
  return objectType === "event" ? `/e/${event.slug}` : null;
}
