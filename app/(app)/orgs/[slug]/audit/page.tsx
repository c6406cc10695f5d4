import type { Metadata } from "next";
import { AuditLog } from "#components/audit/audit-log.tsx";
import { auditQuery, csvHref } from "#components/audit/audit-query.ts";
import type { Entry } from "#components/audit/audit-table.tsx";
import { OF_ORGANIZATION } from "#components/audit/audit-words.ts";
import { OrganizationHead } from "#components/organization/organization-head.tsx";
import { page } from "#components/shell/page.tsx";
import { showEventsSummary } from "#lib/analytics/operations.ts";
import { refuse, show } from "#lib/http/page.ts";
import { listOrganizationAudit, verifyOrganizationAudit } from "#lib/audit-log/operations.ts";
import type { Query } from "#lib/design/query.ts";
import { listOrganizationMembers } from "#lib/organizations/operations.ts";
import { isTeam } from "#lib/operation/policy.ts";
import { openOrganization, type OrganizationParams, titleOf } from "../organization.ts";

export const generateMetadata = ({ params }: OrganizationParams): Promise<Metadata> =>
  titleOf(params, "audit");

type Props = OrganizationParams & { searchParams: Promise<Query> };

/** The audit log of an organization and its events, for its admins. */
export default page(async function OrganizationAudit({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const { organization, actor, may } = await openOrganization(slug);
  if (!may.viewAudit) refuse();
  const list = await show(listOrganizationAudit, { orgSlug: slug }, auditQuery(query));
  const verdict = query.verify === "1" ? await show(verifyOrganizationAudit, { orgSlug: slug }) : null;
  const [{ members }, { events }] = await Promise.all([
    show(listOrganizationMembers, { orgSlug: slug }),
    show(showEventsSummary, { orgSlug: slug }),
  ]);
  const place: Place = {
    path: `/orgs/${slug}`,
    slugs: new Map(events.map((event) => [event.id, event.slug])),
    readsReportsOf: (eventId) => isTeam(actor, eventId),
  };
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHead organization={organization} current="audit" may={may} />
      <AuditLog
        path={`/orgs/${slug}/audit`}
        query={query}
        list={list}
        now={new Date()}
        groups={OF_ORGANIZATION}
        people={members.map(({ user }) => user)}
        csv={csvHref(`/api/organizations/${organization.id}/audit`, query)}
        verdict={verdict}
        linkTo={(entry) => placeOf(entry, place)}
      />
    </div>
  );
});

type Place = {
  path: string;
  /** The short names of the organization's events, by their ids. */
  slugs: ReadonlyMap<string, string>;
  readsReportsOf: (eventId: string) => boolean;
};

/** Where the thing that an entry is about has a page that its reader may open. */
function placeOf({ objectType, objectId, eventId, action }: Entry, place: Place): string | null {
  const { path, slugs, readsReportsOf } = place;
  if (!objectId || action.endsWith(".delete")) return null;
  if (objectType === "webhook") return `${path}/webhooks/${objectId}`;
  if (objectType === "member") return `${path}/members`;
  const event = eventId === null ? undefined : slugs.get(eventId);
  if (!event || !eventId) return objectType === "invite" ? `${path}/invites` : null;
  if (objectType === "event") return `/e/${event}`;
  return objectType === "incident" && readsReportsOf(eventId) ? `/e/${event}/i/${objectId}` : null;
}
