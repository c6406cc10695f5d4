import { Inbox as InboxIcon } from "lucide-react";
import type { Metadata } from "next";
import { cleared, IncidentFilters, isFiltered, SortMenu } from "#components/incident/incident-filters.tsx";
import { IncidentList } from "#components/incident/incident-list.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { listOwnEvents } from "#lib/accounts/own-operations.ts";
import { mustBeSignedIn, show } from "#lib/api/page.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { listMyIncidents } from "#lib/incidents/operations.ts";
import { listMyPins } from "#lib/pins/operations.ts";
import { isTeam, type Actor } from "#lib/policy.ts";
import { counted } from "#components/incident/words.ts";

export const metadata: Metadata = { title: "Incidents" };

const PATH = "/inbox";

/** The incidents of every event that one may see (interface 4.6). */
export default page(async function Inbox({ searchParams }: { searchParams: Promise<Query> }) {
  const actor = await mustBeSignedIn();
  const query = await searchParams;
  const [{ incidents, pagination }, { incidentIds }, events] = await Promise.all([
    show(listMyIncidents, {}, query),
    show(listMyPins),
    eventsToChoose(actor),
  ]);
  const team = actor.systemAdmin || actor.events.some(({ eventId }) => isTeam(actor, eventId));
  const shown = isFiltered(query) || pagination.total > 0;
  return (
    <div className="grid gap-5">
      <PageHeader
        title={team ? "Incidents" : "Your reports"}
        meta={shown && <p>{counted(pagination.total, "report")}</p>}
        actions={shown && <SortMenu path={PATH} query={query} />}
      />
      {shown && <IncidentFilters path={PATH} query={query} team={team} events={events} />}
      {incidents.length > 0 ? (
        <IncidentList incidents={incidents} pinned={incidentIds} now={new Date()} withEvent own={!team} />
      ) : (
        <Nothing actor={actor} team={team} query={query} total={pagination.total} />
      )}
      <Pagination path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
    </div>
  );
});

/** Under their names; who is in more than a hundred events knows the others by the end of their address. */
async function eventsToChoose(actor: Actor): Promise<{ value: string; label: string }[]> {
  if (actor.events.length < 2) return [];
  const { events } = await show(listOwnEvents, {}, { limit: "100" });
  const names = new Map(events.map(({ slug, name }) => [slug, name]));
  return actor.events
    .map(({ slug }) => ({ value: slug, label: names.get(slug) ?? slug }))
    .toSorted((a, b) => a.label.localeCompare(b.label, "en"));
}

function Nothing({
  actor,
  team,
  query,
  total,
}: {
  actor: Actor;
  team: boolean;
  query: Query;
  total: number;
}) {
  if (total > 0) {
    return (
      <EmptyState
        title="The list ends before this page"
        actions={<LinkButton href={hrefWith(PATH, query, { page: null })}>Go to the first page</LinkButton>}
      />
    );
  }
  if (isFiltered(query)) {
    return (
      <EmptyState
        title="No report matches"
        actions={<LinkButton href={cleared(PATH, query)}>Clear filters</LinkButton>}
      >
        <p>Try fewer words or other filters.</p>
      </EmptyState>
    );
  }
  if (actor.events.length === 0 && !actor.systemAdmin) {
    return (
      <EmptyState icon={InboxIcon} title="You are not part of an event yet">
        <p>
          To report something, or to answer reports, open the invite link that the people of your event gave
          you.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={InboxIcon}
      title={team ? "No reports. Good." : "You have sent no reports"}
      actions={<FirstSteps actor={actor} />}
    >
      <p>
        {team
          ? "When someone reports something at one of your events, it appears here."
          : "What you report appears here, and you can see how it stands. Reports sent without your name don't."}
      </p>
    </EmptyState>
  );
}

function FirstSteps({ actor }: { actor: Actor }) {
  return actor.events.slice(0, 3).map(({ slug }) => (
    <LinkButton key={slug} href={`/e/${slug}`}>
      Page of {slug}
    </LinkButton>
  ));
}
