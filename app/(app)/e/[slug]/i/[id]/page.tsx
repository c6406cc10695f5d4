import type { Metadata } from "next";
import {
  type EventReportSettingsRecord,
  loadResponseTeam,
  loadTeamEventMetadata,
} from "#components/event/event-data.ts";
import { parseTimelineEntryKind } from "#components/incident/history-filter.tsx";
import { definePage } from "#components/shell/page.tsx";
import { loadInboxPreferences } from "#components/triage/preferences.ts";
import { parseIncidentListReturnHref } from "#components/triage/view.ts";
import { sealWriterIdAsFormTicket, takeRefusedForm } from "#lib/http/form-drafts.ts";
import {
  getCurrentPathAndQuery,
  loadOptionalPageData,
  getActorOrRedirectToSignIn,
  loadPageData,
} from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { listIncidentReaders, showConflictCheck } from "#lib/readers/operations.ts";
import { showReportSettings } from "#lib/events/operations.ts";
import { showEvidenceUsage, listOwnFiles } from "#lib/evidence/operations.ts";
import {
  showIncident,
  showIncidentAccess,
  listEventOutcomeTemplates,
  showIncidentTimeline,
  showIncidentProgress,
} from "#lib/incidents/operations.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { listPins } from "#lib/incidents/pin-operations.ts";
import { showIntake } from "#lib/conversations/intake-operations.ts";
import { AppError } from "#lib/operation/errors.ts";
import { type Actor, buildActorAsOutsidePerson, can, hasTeamAccessToEvent } from "#lib/operation/policy.ts";
import { listIncidentPeople } from "#lib/people/operations.ts";
import { showIncidentRetention } from "#lib/retention/operations.ts";
import { listIncidentMarks, listAdjacentIncidents } from "#lib/incidents/inbox-operations.ts";
import { AdjacentIncidentsQuery } from "#lib/incidents/inbox-schema.ts";
import { PendingConflictCheckView } from "./conflict-check-view.tsx";
import { toOrganizationCandidates, type ReadersData } from "./readers-card.tsx";
import { ReporterIncidentView } from "./reporter-view.tsx";
import type { AssignablePerson } from "./incident-fields.ts";
import { TeamIncidentView } from "./team-view.tsx";

type Props = { params: Promise<{ slug: string; id: string }>; searchParams: Promise<SearchParams> };

/**
 * The title names only the event, and for the reporter not even that, because titles appear in browser
 * history and on shared screens.
 */
export const generateMetadata = ({ params }: Pick<Props, "params">): Promise<Metadata> =>
  loadTeamEventMetadata(params);

/**
 * One incident: the team's view with everything needed to act on it, or the reporter's view with its
 * progress.
 */
export default definePage(async function IncidentPage({ params, searchParams }: Props) {
  const { slug, id } = await params;
  const { return: returnKey, dialog: _dialog, ...query } = await searchParams;
  const actor = buildActorAsOutsidePerson(await getActorOrRedirectToSignIn(), { slug, incidentId: id });
  const path = { slug, incidentId: id };
  const shown = await loadPageData(showIncident, path).catch(returnNullIfUnanswered);
  const returned = typeof returnKey === "string" ? await takeRefusedForm(actor.id, returnKey) : null;
  const writing = { writer: actor.id, ticket: sealWriterIdAsFormTicket(actor.id), returned };
  const now = new Date();
  if (!shown) {
    const { conflictCheck } = await loadPageData(showConflictCheck, path);
    return <PendingConflictCheckView incident={conflictCheck.incident} writing={writing} now={now} />;
  }
  const { incident } = shown;
  const pageContext = { actor, incident, query, writing, now, path: `/e/${slug}/i/${id}` };
  return hasTeamAccessToEvent(actor, incident.eventId) ? (
    <TeamIncidentView {...pageContext} {...await loadTeamData(pageContext)} />
  ) : (
    <ReporterIncidentView {...pageContext} {...await loadReporterData(pageContext)} />
  );
});

function returnNullIfUnanswered(error: unknown): null {
  if (error instanceof AppError && error.code === "CONFLICT_CHECK_REQUIRED") return null;
  throw error;
}

type IncidentPageContext = { actor: Actor; incident: Incident; query: SearchParams };

/** Entries of the access log on one page, newest first. */
const ACCESS_LOG_PAGE_SIZE = "50";

async function loadTeamData({ actor, incident, query }: IncidentPageContext) {
  const { event, id } = incident;
  const path = { slug: event.slug, incidentId: id };
  // An outside person sees nothing else of the event.
  const isOutsidePerson = actor.outsideIncidentId !== undefined;
  const [timeline, readers, people, evidence, { marks }, records, among, { keys }, here] = await Promise.all([
    loadTeamTimeline(path, query),
    loadPageData(listIncidentReaders, path),
    isOutsidePerson ? [actor] : loadResponseTeam(event.slug),
    isOutsidePerson ? null : loadPageData(showEvidenceUsage, { slug: event.slug }),
    loadPageData(listIncidentMarks, {}, { ids: id }),
    loadTeamRecords(path),
    loadListPosition(id, query),
    loadInboxPreferences(),
    getCurrentPathAndQuery(),
  ]);
  const team = people.map(({ id: personId, name }) => ({ id: personId, name }));
  return {
    ...timeline,
    ...readers,
    pinned: marks[0]?.pinned ?? false,
    people: team,
    assignable: listAssignable(team, readers),
    usage: evidence?.usage ?? null,
    ...records,
    clock: { due: marks[0]?.due ?? null, awaiting: marks[0]?.awaiting ?? null },
    among,
    keys,
    here,
    rights: listTeamRights(actor, incident, readers.inEmergency),
  };
}

/**
 * Lists the people on the team to whom the incident can be assigned: those who read it. Says of each
 * whether they still have to answer its conflict check.
 */
function listAssignable(
  team: readonly { id: string; name: string }[],
  { readers, hiddenFrom }: Pick<ReadersData, "readers" | "hiddenFrom">,
): AssignablePerson[] {
  const excludedIds = hiddenFrom.map(({ person }) => person?.id);
  const unansweredIds = readers.filter(({ access }) => access === "ask").map(({ person }) => person?.id);
  return team
    .filter(({ id }) => !excludedIds.includes(id))
    .map((person) => ({ ...person, isUnanswered: unansweredIds.includes(person.id) }));
}

/** Loads the records that the team's view shows besides the incident. */
async function loadTeamRecords(path: { slug: string; incidentId: string }) {
  const [progress, outcomes, { intake }, { retention }, { people: named }] = await Promise.all([
    loadPageData(showIncidentProgress, path),
    loadOptionalPageData(listEventOutcomeTemplates, { slug: path.slug }),
    loadPageData(showIntake, path),
    loadPageData(showIncidentRetention, path),
    loadPageData(listIncidentPeople, path),
  ]);
  return { progress, templates: outcomes?.templates ?? [], intake, retention, named };
}

/** Loads the history and the readers of the incident, or a page of the access log in place of the history. */
async function loadTeamTimeline(path: { slug: string; incidentId: string }, query: SearchParams) {
  const kind = parseTimelineEntryKind(query.kind, true);
  const showsAccessLog = kind === "access";
  const [history, access] = await Promise.all([
    showsAccessLog ? NO_HISTORY : loadPageData(showIncidentTimeline, path, { kind, page: query.page }),
    loadPageData(
      showIncidentAccess,
      path,
      showsAccessLog ? { limit: ACCESS_LOG_PAGE_SIZE, page: query.page } : { only: "readers" },
    ),
  ]);
  return {
    kind,
    history: { entries: history.history.toReversed(), pagination: history.pagination },
    access: "readers" in access ? access : NO_ACCESS,
  };
}

function listTeamRights(
  actor: Actor,
  { id: incidentId, eventId, reporterId }: Incident,
  inEmergency: boolean,
) {
  const subject = { eventId, incidentId, inEmergency };
  return {
    change: can(actor, "incident.update", subject),
    retitle: can(actor, "incident.retitleBySlug", { ...subject, reporterId }),
    deleteAny: can(actor, "incident.deleteAnyComment", subject),
    originals: can(actor, "incident.openOriginal", subject),
    hide: can(actor, "incident.hide", { ...subject, reporterId }),
  };
}

/** Loads the adjacent incidents in the list that the page was opened from; null if there was none. */
async function loadListPosition(incidentId: string, { list: given }: SearchParams) {
  const list = parseIncidentListReturnHref(given);
  const pageContext = { ...list?.view, incidentId };
  if (!list || !AdjacentIncidentsQuery.safeParse(pageContext).success) return null;
  return { href: list.href, ...(await loadPageData(listAdjacentIncidents, {}, pageContext)) };
}

async function loadReporterData({ actor, incident, query }: IncidentPageContext) {
  const { event, id, eventId } = incident;
  const path = { slug: event.slug, incidentId: id };
  const kind = parseTimelineEntryKind(query.kind, false);
  const [history, { incidentIds }, own, access, progress, { reportSettings }, hiding, { retention }, team] =
    await Promise.all([
      loadPageData(showIncidentTimeline, path, { kind, page: query.page }),
      loadPageData(listPins, {}, { eventId }),
      loadPageData(listOwnFiles, path),
      loadPageData(showIncidentAccess, path),
      loadPageData(showIncidentProgress, path),
      loadPageData(showReportSettings, { slug: event.slug }),
      loadPageData(listIncidentReaders, path),
      loadPageData(showIncidentRetention, path),
      loadResponseTeam(event.slug),
    ]);
  return {
    kind,
    history: { entries: history.history.toReversed(), pagination: history.pagination },
    pinned: incidentIds.includes(id),
    ownFiles: own.fileIds,
    access: "readBy" in access ? access : { readBy: 0, lastReadOn: null },
    reached: progress.reached,
    outcome: progress.outcome,
    teamHasWritten: progress.teamHasWritten,
    exitUrl: reportSettings.exitUrl,
    retention,
    mayRetitle: can(actor, "incident.retitleBySlug", incident),
    ...hiding,
    candidates: [
      ...listCandidates(team, hiding.hiddenFrom, reportSettings),
      ...toOrganizationCandidates(hiding.organizationMembers),
    ],
  };
}

/**
 * People on the team who read the incident, while somebody else, or an outside person, can still read the
 * report.
 */
function listCandidates(
  team: readonly AssignablePerson[],
  hiddenFrom: ReadersData["hiddenFrom"],
  { outsidePerson }: EventReportSettingsRecord,
): AssignablePerson[] {
  const excludedIds = hiddenFrom.map(({ person }) => person?.id);
  const readers = team.filter(({ id }) => !excludedIds.includes(id));
  return readers.length > (outsidePerson ? 0 : 1) ? readers.map(({ id, name }) => ({ id, name })) : [];
}

const NO_PAGES = { page: 1, limit: 0, total: 0, totalPages: 1 };
const NO_HISTORY = { history: [], pagination: NO_PAGES };
const NO_ACCESS = { access: [], readers: [], pagination: NO_PAGES };
