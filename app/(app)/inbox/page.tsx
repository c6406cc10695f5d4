import type { Metadata } from "next";
import { type QuickExitTarget, loadQuickExitTargetOutsideEvents } from "#components/event/event-data.ts";
import { OwnReportsPage, ReporterPageLayout } from "#components/incident/own-reports.tsx";
import { TakeReportLinks } from "#components/intake/take-report-links.tsx";
import { definePage } from "#components/shell/page.tsx";
import { TriagePage } from "#components/triage/triage-page.tsx";
import { loadTriagePageData } from "#components/triage/triage-page-data.ts";
import { IncidentListToolbar } from "#components/triage/incident-filter-bar.tsx";
import { NoReportsState } from "#components/triage/no-reports-state.tsx";
import { OpenViewSidebarButton } from "#components/triage/view-sidebar.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { listOwnEvents } from "#lib/own-account/operations.ts";
import { getActorOrRedirectToSignIn, loadPageData, getCurrentActor } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { listIncidentsAcrossEvents } from "#lib/incidents/operations.ts";
import { listPins } from "#lib/incidents/pin-operations.ts";
import { canListIncidentsOfSomeEvent, isOnAnyTeamOrSystemAdmin, type Actor } from "#lib/operation/policy.ts";
import { useTranslator } from "#i18n";

export async function generateMetadata(): Promise<Metadata> {
  const actor = await getCurrentActor().catch(() => null);
  // A reporter's page has a neutral title, because titles appear in browser history and on shared screens.
  return actor && isOnAnyTeamOrSystemAdmin(actor) ? { title: (await getTranslator("inbox"))("title") } : {};
}

const PATH = "/inbox";

/** The incidents of every event that the viewer may see (contract 7.13). */
export default definePage(async function Inbox({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await getActorOrRedirectToSignIn();
  const query = await searchParams;
  const t = useTranslator("inbox");
  if (!canListIncidentsOfSomeEvent(actor))
    return <NoEventState exit={await loadQuickExitTargetOutsideEvents(actor)} />;
  if (!isOnAnyTeamOrSystemAdmin(actor)) return await renderOwnReports(actor, query);
  const triagePage = await loadTriagePageData({ actor, path: PATH, query, event: null });
  const { pagination, summary, hasList } = triagePage;
  return (
    <div className="grid gap-5">
      <PageHeader
        title={t("title")}
        meta={hasList && <p>{t("reports", { count: pagination.total })}</p>}
        actions={
          <>
            <OpenViewSidebarButton />
            {hasList && <IncidentListToolbar {...triagePage} />}
            <TakeReportLinks events={summary.events} />
          </>
        }
      />
      <TriagePage {...triagePage} people={[]} empty={<NoReportsState events={summary.events} />} />
    </div>
  );
});

/** For people on no team: their own reports. */
async function renderOwnReports(actor: Actor, query: SearchParams) {
  const [{ incidents, pagination }, { incidentIds }, { events }, exit] = await Promise.all([
    loadPageData(listIncidentsAcrossEvents, {}, query),
    loadPageData(listPins),
    loadPageData(listOwnEvents, {}, { limit: "20" }),
    loadQuickExitTargetOutsideEvents(actor),
  ]);
  return (
    <OwnReportsPage
      {...{
        incidents,
        pagination,
        query,
        pinned: incidentIds,
        now: new Date(),
        path: PATH,
        events: events.filter(({ needsSecondFactor }) => !needsSecondFactor),
        exit,
      }}
    />
  );
}

function NoEventState({ exit }: { exit: QuickExitTarget }) {
  const t = useTranslator("mine");
  return (
    <ReporterPageLayout exit={exit}>
      <PageHeader title={t("title")} />
      <EmptyState icon="inbox" title={t("notInEvent")}>
        <p>{t("notInEventHint")}</p>
      </EmptyState>
    </ReporterPageLayout>
  );
}
