import type { Metadata } from "next";
import { AuditLog } from "#components/audit/audit-log.tsx";
import { auditQuery, csvHref } from "#components/audit/audit-query.ts";
import type { Entry } from "#components/audit/audit-table.tsx";
import { OF_EVENT } from "#components/audit/audit-words.ts";
import { EventHeader } from "#components/event/event-header.tsx";
import { eventBySlug, eventTitle, responseTeam } from "#components/event/this-event.ts";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { mustBeSignedIn, show } from "#lib/http/page.ts";
import { listEventAudit, verifyEventAudit } from "#lib/audit-log/operations.ts";
import type { Query } from "#lib/design/query.ts";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

export const generateMetadata = async ({ params }: Props): Promise<Metadata> =>
  eventTitle(params, (await pageWords("audit"))("title"));

/** The audit log of an event, for its Admins. */
export default page(async function EventAudit({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await mustBeSignedIn();
  const query = await searchParams;
  const list = await show(listEventAudit, { slug }, auditQuery(query));
  const verdict = query.verify === "1" ? await show(verifyEventAudit, { slug }) : null;
  const event = await eventBySlug(slug);
  const t = await pageWords("audit");
  return (
    <div className="grid gap-5">
      <EventHeader event={event} actor={actor} current="audit" title={t("title")} />
      <AuditLog
        path={`/e/${slug}/audit`}
        query={query}
        list={list}
        now={new Date()}
        groups={OF_EVENT}
        people={await responseTeam(slug)}
        csv={csvHref(`/api/events/slug/${slug}/audit`, query)}
        verdict={verdict}
        linkTo={(entry) => placeOf(entry, slug)}
      />
    </div>
  );
});

/** Reports and people have pages of their own. */
function placeOf({ objectType, objectId, action }: Entry, slug: string): string | null {
  if (!objectId) return null;
  if (objectType === "incident") return `/e/${slug}/i/${objectId}`;
  const there = (objectType === "eventRole" || objectType === "eventUser") && !/remove|leave/.test(action);
  return there ? `/e/${slug}/team/${objectId}` : null;
}
