import type { Metadata } from "next";
import { responseTeam, titleForTeam } from "#components/event/this-event.ts";
import { historyKind } from "#components/incident/history-filter.tsx";
import { page } from "#components/shell/page.tsx";
import { preferences } from "#components/triage/preferences.ts";
import { listIn } from "#components/triage/view.ts";
import { formTicket, takeFormReturn } from "#lib/http/form-drafts.ts";
import { currentPath, mustBeSignedIn, show } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { showReportSettings } from "#lib/events/operations.ts";
import { showUsage, listOwnFiles } from "#lib/evidence/operations.ts";
import { showIncident, showAccess, showTimeline, showStanding } from "#lib/incidents/operations.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { listMyPins } from "#lib/pins/operations.ts";
import { type Actor, can, isTeam } from "#lib/operation/policy.ts";
import { listIncidentMarks, listNeighbours } from "#lib/triage/operations.ts";
import { NeighboursQuery } from "#lib/triage/schema.ts";
import { ReporterView } from "./reporter-view.tsx";
import { TeamView } from "./team-view.tsx";

type Props = { params: Promise<{ slug: string; id: string }>; searchParams: Promise<Query> };

/** The title names the event only, and to the reporter not even that: it stays in histories and on shared screens. */
export const generateMetadata = ({ params }: Pick<Props, "params">): Promise<Metadata> =>
  titleForTeam(params);

/** One report: for the team with all that it takes to act on it, for whoever sent it with what became of it. */
export default page(async function IncidentPage({ params, searchParams }: Props) {
  const { slug, id } = await params;
  const { return: wanted, ...query } = await searchParams;
  const actor = await mustBeSignedIn();
  const { incident } = await show(showIncident, { slug, incidentId: id });
  const returned = typeof wanted === "string" ? await takeFormReturn(actor.id, wanted) : null;
  const writing = { writer: actor.id, ticket: formTicket(actor.id), returned };
  const asked = { actor, incident, query, writing, now: new Date(), path: `/e/${slug}/i/${id}` };
  return isTeam(actor, incident.eventId) ? (
    <TeamView {...asked} {...await forTheTeam(asked)} />
  ) : (
    <ReporterView {...asked} {...await forTheReporter(asked)} />
  );
});

type Asked = { actor: Actor; incident: Incident; query: Query };

/** How many entries of the access log a page of it holds, the newest ones first. */
const ENTRIES = "50";

async function forTheTeam({ actor, incident, query }: Asked) {
  const { event, id, eventId } = incident;
  const path = { slug: event.slug, incidentId: id };
  const kind = historyKind(query.kind, true);
  const looks = kind === "access";
  const [history, { incidentIds }, people, { usage }, access, { marks }, standing, among, { keys }, here] =
    await Promise.all([
      looks ? NO_HISTORY : show(showTimeline, path, { kind, page: query.page }),
      show(listMyPins, {}, { eventId }),
      responseTeam(event.slug),
      show(showUsage, { slug: event.slug }),
      show(showAccess, path, looks ? { limit: ENTRIES, page: query.page } : { only: "readers" }),
      show(listIncidentMarks, {}, { ids: id }),
      show(showStanding, path),
      amongOthers(id, query),
      preferences(),
      currentPath(),
    ]);
  return {
    kind,
    history: { entries: history.history.toReversed(), pagination: history.pagination },
    pinned: incidentIds.includes(id),
    people: people.map(({ id: personId, name }) => ({ id: personId, name })),
    usage,
    access: "readers" in access ? access : NO_ACCESS,
    standing,
    clock: { due: marks[0]?.due ?? null, awaiting: marks[0]?.awaiting ?? null },
    among,
    keys,
    here,
    rights: {
      retitle: can(actor, "incident.retitleBySlug", incident),
      deleteAny: can(actor, "incident.deleteAnyComment", { eventId }),
      originals: can(actor, "incident.openOriginal", { eventId }),
    },
  };
}

/** What stands beside it in the list that one came from; null where one came from none. */
async function amongOthers(incidentId: string, { list: given }: Query) {
  const list = listIn(given);
  const asked = { ...list?.view, incidentId };
  if (!list || !NeighboursQuery.safeParse(asked).success) return null;
  return { href: list.href, ...(await show(listNeighbours, {}, asked)) };
}

async function forTheReporter({ actor, incident, query }: Asked) {
  const { event, id, eventId } = incident;
  const path = { slug: event.slug, incidentId: id };
  const kind = historyKind(query.kind, false);
  const [history, { incidentIds }, own, access, { reached }, { reportSettings }] = await Promise.all([
    show(showTimeline, path, { kind, page: query.page }),
    show(listMyPins, {}, { eventId }),
    show(listOwnFiles, path),
    show(showAccess, path),
    show(showStanding, path),
    show(showReportSettings, { slug: event.slug }),
  ]);
  return {
    kind,
    history: { entries: history.history.toReversed(), pagination: history.pagination },
    pinned: incidentIds.includes(id),
    ownFiles: own.fileIds,
    access: "readBy" in access ? access : { readBy: 0, lastReadOn: null },
    reached,
    exitUrl: reportSettings.exitUrl,
    mayRetitle: can(actor, "incident.retitleBySlug", incident),
  };
}

const NO_PAGES = { page: 1, limit: 0, total: 0, totalPages: 1 };
const NO_HISTORY = { history: [], pagination: NO_PAGES };
const NO_ACCESS = { access: [], readers: [], pagination: NO_PAGES };
