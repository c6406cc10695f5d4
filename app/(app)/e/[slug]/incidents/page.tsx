import { Inbox, Megaphone } from "lucide-react";
import type { Metadata } from "next";
import { EventHeader } from "#components/event/event-header.tsx";
import { eventBySlug, eventTitle } from "#components/event/this-event.ts";
import { cleared, IncidentFilters, isFiltered, SortMenu } from "#components/incident/incident-filters.tsx";
import { IncidentList } from "#components/incident/incident-list.tsx";
import { counted } from "#components/incident/words.ts";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { mustBeSignedIn, show } from "#lib/api/page.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { env } from "#lib/env.ts";
import { listIncidentsBySlug } from "#lib/incidents/operations.ts";
import { listMyPins } from "#lib/pins/operations.ts";
import { isTeam } from "#lib/policy.ts";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

/** The title names the event only: it stays in histories and on shared screens. */
export const generateMetadata = ({ params }: Props): Promise<Metadata> => eventTitle(params);

/** The incidents of one event; a Reporter's own only (interface 4.5). */
export default page(async function EventIncidents({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await mustBeSignedIn();
  const query = await searchParams;
  const event = await eventBySlug(slug);
  const [{ incidents, pagination }, { incidentIds }] = await Promise.all([
    show(listIncidentsBySlug, { slug }, { limit: "20", ...query }),
    show(listMyPins, {}, { eventId: event.id }),
  ]);
  const team = isTeam(actor, event.id);
  const path = `/e/${slug}/incidents`;
  const shown = isFiltered(query) || pagination.total > 0;
  return (
    <div className="grid gap-5">
      <EventHeader
        event={event}
        actor={actor}
        current="incidents"
        title={team ? "Reports" : "Your reports"}
        meta={
          <>
            <p>{event.name}</p>
            {shown && <p>{counted(pagination.total, "report")}</p>}
          </>
        }
        actions={
          <>
            {shown && <SortMenu path={path} query={query} />}
            <LinkButton href={`/e/${slug}/report`} icon={Megaphone}>
              Report something
            </LinkButton>
          </>
        }
      />
      {shown && <IncidentFilters path={path} query={query} team={team} />}
      {incidents.length > 0 ? (
        <IncidentList incidents={incidents} pinned={incidentIds} now={new Date()} own={!team} />
      ) : (
        <Nothing path={path} query={query} team={team} slug={slug} total={pagination.total} />
      )}
      <Pagination path={path} query={query} page={pagination.page} pages={pagination.totalPages} />
    </div>
  );
});

type NothingProps = { path: string; query: Query; team: boolean; slug: string; total: number };

function Nothing({ path, query, team, slug, total }: NothingProps) {
  if (total > 0) {
    return (
      <EmptyState
        title="The list ends before this page"
        actions={<LinkButton href={hrefWith(path, query, { page: null })}>Go to the first page</LinkButton>}
      />
    );
  }
  if (isFiltered(query)) {
    return (
      <EmptyState
        title="No report matches"
        actions={<LinkButton href={cleared(path, query)}>Clear filters</LinkButton>}
      >
        <p>Try fewer words or other filters.</p>
      </EmptyState>
    );
  }
  if (!team) {
    return (
      <EmptyState icon={Inbox} title="You have sent no reports">
        <p>
          What you report appears here, and you can see how it stands. Reports sent without your name don't.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={Inbox} title="No reports. Good.">
      <div className="grid max-w-lg gap-4">
        <p>When someone reports something, it appears here. This is the page where they find the form:</p>
        <CopyField label="Public page of the event" value={`${env().baseUrl}/e/${slug}`} />
      </div>
    </EmptyState>
  );
}
