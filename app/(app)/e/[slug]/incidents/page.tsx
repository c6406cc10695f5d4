import type { Metadata } from "next";
import { EventHeader } from "#components/event/event-header.tsx";
import {
  eventBySlug,
  exitOf,
  type EventOfPage,
  responseTeam,
  titleForTeam,
} from "#components/event/this-event.ts";
import { OwnReports, ReportSomething } from "#components/incident/own-reports.tsx";
import { page } from "#components/shell/page.tsx";
import { Tools } from "#components/triage/bar.tsx";
import { Desk } from "#components/triage/desk.tsx";
import { deskOf } from "#components/triage/desk-of.ts";
import { FirstReport } from "#components/triage/first-report.tsx";
import { ViewsButton } from "#components/triage/rail.tsx";
import { isFiltered } from "#components/triage/view.ts";
import { mustBeSignedIn, show } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { listIncidentsBySlug } from "#lib/incidents/operations.ts";
import { listMyPins } from "#lib/pins/operations.ts";
import { isTeam, type Actor } from "#lib/operation/policy.ts";
import { useWords } from "#words";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

/** The title names the event only, and to a reporter not even that: it stays in histories and on shared screens. */
export const generateMetadata = ({ params }: Props): Promise<Metadata> => titleForTeam(params);

/** The incidents of one event; a Reporter's own only (contract 7.12). */
export default page(async function EventIncidents({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await mustBeSignedIn();
  const query = await searchParams;
  const event = await eventBySlug(slug);
  if (!isTeam(actor, event.id)) return await ownReports({ actor, event, query });
  const t = useWords("inbox");
  const path = pathOf(event);
  const [desk, people] = await Promise.all([deskOf({ actor, path, query, event }), responseTeam(slug)]);
  const { view, pagination, here, preferences } = desk;
  const shown = isFiltered(view) || pagination.total > 0;
  return (
    <div className="grid gap-5">
      <EventHeader
        event={event}
        actor={actor}
        current="incidents"
        title={t("eventTitle")}
        meta={shown && <p>{t("reports", { count: pagination.total })}</p>}
        actions={
          <>
            <ViewsButton />
            {shown && (
              <Tools path={path} view={view} here={here} compact={preferences.compact} event={slug} />
            )}
            <ReportSomething events={[event]} />
          </>
        }
      />
      <Desk {...desk} people={people} empty={<FirstReport events={[event]} />} />
    </div>
  );
});

const pathOf = ({ slug }: EventOfPage) => `/e/${slug}/incidents`;

async function ownReports({ actor, event, query }: { actor: Actor; event: EventOfPage; query: Query }) {
  const [{ incidents, pagination }, { incidentIds }, exit] = await Promise.all([
    show(listIncidentsBySlug, { slug: event.slug }, { limit: "20", ...query }),
    show(listMyPins, {}, { eventId: event.id }),
    exitOf(event.slug),
  ]);
  return (
    <OwnReports
      {...{
        incidents,
        pagination,
        query,
        pinned: incidentIds,
        now: new Date(),
        path: pathOf(event),
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
          actions={<ReportSomething events={[event]} />}
        />
      )}
    />
  );
}
