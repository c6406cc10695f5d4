import type { Metadata } from "next";
import { AuditLog } from "#components/audit/audit-log.tsx";
import { readAuditLogQueryFromPageUrl, buildAuditCsvHref } from "#components/audit/audit-query.ts";
import type { DisplayedAuditEntry } from "#components/audit/audit-table.tsx";
import { EVENT_AUDIT_ACTION_GROUPS } from "#components/audit/audit-text.ts";
import { EventHeader } from "#components/event/event-header.tsx";
import {
  loadPublicEventAndSetZone,
  loadEventPageMetadata,
  loadResponseTeam,
  type EventPageProps,
} from "#components/event/event-data.ts";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { listEventAudit, verifyEventAudit } from "#lib/audit-log/operations.ts";

export const generateMetadata = async ({ params }: EventPageProps): Promise<Metadata> =>
  loadEventPageMetadata(params, (await getTranslator("audit"))("title"));

/** The audit log of an event, for its Admins. */
export default definePage(async function EventAudit({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const actor = await getActorOrRedirectToSignIn();
  const query = await searchParams;
  const list = await loadPageData(listEventAudit, { slug }, readAuditLogQueryFromPageUrl(query));
  const verdict = query.verify === "1" ? await loadPageData(verifyEventAudit, { slug }) : null;
  const event = await loadPublicEventAndSetZone(slug);
  const t = await getTranslator("audit");
  return (
    <div className="grid gap-5">
      <EventHeader event={event} actor={actor} current="audit" title={t("title")} />
      <AuditLog
        path={`/e/${slug}/audit`}
        query={query}
        list={list}
        now={new Date()}
        groups={EVENT_AUDIT_ACTION_GROUPS}
        people={await loadResponseTeam(slug)}
        csv={buildAuditCsvHref(`/api/events/slug/${slug}/audit`, query)}
        verdict={verdict}
        linkTo={(entry) => findObjectHref(entry, slug)}
      />
    </div>
  );
});

/** Only incidents and people have pages of their own. */
function findObjectHref(
  { objectType, objectId, incidentId, action }: DisplayedAuditEntry,
  slug: string,
): string | null {
  if (incidentId) return `/e/${slug}/i/${incidentId}`;
  const isCurrentMember =
    (objectType === "eventRole" || objectType === "eventUser") && !/remove|leave/.test(action);
  return objectId && isCurrentMember ? `/e/${slug}/team/${objectId}` : null;
}
