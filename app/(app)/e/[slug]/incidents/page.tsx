import type { Metadata } from "next";
import { EventHeader } from "#components/event/event-header.tsx";
import {
  loadPublicEventAndSetZone,
  loadQuickExitTarget,
  type PublicEventRecord,
  loadResponseTeam,
  loadTeamEventMetadata,
  type EventPageProps,
} from "#components/event/event-data.ts";
import { OwnReportsPage, ReportFormLinkPerEvent } from "#components/incident/own-reports.tsx";
import { TakeReportLinks } from "#components/intake/take-report-links.tsx";
import { definePage } from "#components/shell/page.tsx";
import { IncidentListToolbar } from "#components/triage/incident-filter-bar.tsx";
import { TriagePage } from "#components/triage/triage-page.tsx";
import { loadTriagePageData } from "#components/triage/triage-page-data.ts";
import { NoReportsState } from "#components/triage/no-reports-state.tsx";
import { OpenViewSidebarButton } from "#components/triage/view-sidebar.tsx";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { listIncidentsByEventSlug } from "#lib/incidents/operations.ts";
import { listPins } from "#lib/incidents/pin-operations.ts";
import { hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import { useTranslator } from "#i18n";

/**
 * The title names only the event, and for a reporter not even that, because titles appear in browser history
 * and on shared screens.
 */
export const generateMetadata = ({ params }: EventPageProps): Promise<Metadata> =>
  loadTeamEventMetadata(params);

/** The incidents of one event; a Reporter sees only their own (contract 7.12). */
export default definePage(async function EventIncidents({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const actor = await getActorOrRedirectToSignIn();
  const query = await searchParams;
  const event = await loadPublicEventAndSetZone(slug);
  if (!hasTeamAccessToEvent(actor, event.id)) return await renderOwnReports({ actor, event, query });
  const t = useTranslator("inbox");
  const path = buildListPath(event);
  const [triagePage, people] = await Promise.all([
    loadTriagePageData({ actor, path, query, event }),
    loadResponseTeam(slug),
  ]);
  const { pagination, hasList } = triagePage;
  return (
    <div className="grid gap-5">
      <EventHeader
        event={event}
        actor={actor}
        current="incidents"
        title={t("eventTitle")}
        meta={hasList && <p>{t("reports", { count: pagination.total })}</p>}
        actions={
          <>
            <OpenViewSidebarButton />
            {hasList && <IncidentListToolbar {...triagePage} />}
            <TakeReportLinks events={[event]} />
            <ReportFormLinkPerEvent events={[event]} />
          </>
        }
      />
      <TriagePage {...triagePage} people={people} empty={<NoReportsState events={[event]} />} />
    </div>
  );
});

const buildListPath = ({ slug }: PublicEventRecord) => `/e/${slug}/incidents`;

async function renderOwnReports({
  actor,
  event,
  query,
}: {
  actor: Actor;
  event: PublicEventRecord;
  query: SearchParams;
}) {
  const [{ incidents, pagination }, { incidentIds }, exit] = await Promise.all([
    loadPageData(listIncidentsByEventSlug, { slug: event.slug }, { limit: "20", ...query }),
    loadPageData(listPins, {}, { eventId: event.id }),
    loadQuickExitTarget(event.slug),
  ]);
  return (
    <OwnReportsPage
      {...{
        incidents,
        pagination,
        query,
        pinned: incidentIds,
        now: new Date(),
        path: buildListPath(event),
        events: [event],
        exit,
      }}
      head={({ title, meta }) => (
        <EventHeader
          event={event}
          actor={actor}
          current="incidents"
          title={title}
          meta={meta}
          actions={<ReportFormLinkPerEvent events={[event]} />}
        />
      )}
    />
  );
}
