import { Inbox as InboxIcon } from "lucide-react";
import type { Metadata } from "next";
import { type Exit, ownExit } from "#components/event/this-event.ts";
import { OwnReports, ReporterColumn } from "#components/incident/own-reports.tsx";
import { page } from "#components/shell/page.tsx";
import { Desk } from "#components/triage/desk.tsx";
import { deskOf } from "#components/triage/desk-of.ts";
import { Tools } from "#components/triage/bar.tsx";
import { FirstReport } from "#components/triage/first-report.tsx";
import { ViewsButton } from "#components/triage/rail.tsx";
import { isFiltered } from "#components/triage/view.ts";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { listOwnEvents } from "#lib/own-account/operations.ts";
import { mustBeSignedIn, show, viewer } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { listMyIncidents } from "#lib/incidents/operations.ts";
import { listMyPins } from "#lib/pins/operations.ts";
import { answersReports, type Actor } from "#lib/operation/policy.ts";
import { useWords } from "#words";

export async function generateMetadata(): Promise<Metadata> {
  const actor = await viewer().catch(() => null);
  // What a reporter reads leaves nothing in histories and on shared screens.
  return actor && answersReports(actor) ? { title: (await pageWords("inbox"))("title") } : {};
}

const PATH = "/inbox";

/** The incidents of every event that one may see (contract 7.13). */
export default page(async function Inbox({ searchParams }: { searchParams: Promise<Query> }) {
  const actor = await mustBeSignedIn();
  const query = await searchParams;
  const t = useWords("inbox");
  if (!actor.systemAdmin && actor.events.length === 0) return <NoEvent exit={await ownExit(actor)} />;
  if (!answersReports(actor)) return await ownReports(actor, query);
  const desk = await deskOf({ actor, path: PATH, query, event: null });
  const { view, pagination, summary, here, preferences } = desk;
  const shown = isFiltered(view) || pagination.total > 0;
  return (
    <div className="grid gap-5">
      <PageHeader
        title={t("title")}
        meta={shown && <p>{t("reports", { count: pagination.total })}</p>}
        actions={
          <>
            <ViewsButton />
            {shown && <Tools path={PATH} view={view} here={here} compact={preferences.compact} />}
          </>
        }
      />
      <Desk {...desk} people={[]} empty={<FirstReport events={summary.events} />} />
    </div>
  );
});

/** Who is in no team sees their own reports. */
async function ownReports(actor: Actor, query: Query) {
  const [{ incidents, pagination }, { incidentIds }, { events }, exit] = await Promise.all([
    show(listMyIncidents, {}, query),
    show(listMyPins),
    show(listOwnEvents, {}, { limit: "20" }),
    ownExit(actor),
  ]);
  return (
    <OwnReports
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

function NoEvent({ exit }: { exit: Exit }) {
  const t = useWords("mine");
  return (
    <ReporterColumn exit={exit}>
      <PageHeader title={t("title")} />
      <EmptyState icon={InboxIcon} title={t("notInEvent")}>
        <p>{t("notInEventHint")}</p>
      </EmptyState>
    </ReporterColumn>
  );
}
