import { listUnansweredIncidents } from "#lib/readers/operations.ts";
import { sealWriterIdAsFormTicket } from "#lib/http/form-drafts.ts";
import { getCurrentPathAndQuery, getIgnoredPageFilterNames, loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { listSavedViews } from "#lib/incidents/saved-view-operations.ts";
import {
  listInbox,
  listEventInbox,
  listInboxPeople,
  summarizeIncidents,
} from "#lib/incidents/inbox-operations.ts";
import type { IncidentCountsSummary } from "#lib/incidents/inbox-schema.ts";
import { loadInboxPreferences } from "./preferences.ts";
import {
  addDefaultOpenStatusFilter,
  buildIncidentListReturnHref,
  FINISHED_STATUSES,
  isViewLimitedToOpenStatuses,
  getViewOrder,
  hasIncidentFilters,
  type IncidentListViewParams,
  parseIncidentListViewParams,
} from "./view.ts";

type TriagePageInput = {
  actor: Actor;
  path: string;
  query: SearchParams;
  event: { id: string; slug: string } | null;
};

const PAGE_SIZE = "20";

/**
 * Loads everything for the inbox: the list, its counts, and the current user's own marks and views, in a
 * fixed number of queries.
 */
export async function loadTriagePageData({ actor, path, query, event }: TriagePageInput) {
  const requestedView = parseIncidentListViewParams(query);
  const { assigned, reporter } = requestedView;
  const namesPeople = Boolean(assigned ?? reporter ?? query.choose);
  const eventParams = event ? { event: event.slug } : {};
  const [{ rows, pagination, finishedMatches }, summary, people, { views }, chosen, unanswered] =
    await Promise.all([
      loadListAndFinishedMatches(requestedView, event),
      loadPageData(summarizeIncidents, {}, eventParams),
      namesPeople ? loadPageData(listInboxPeople, {}, { ...eventParams, assigned, reporter }) : NO_PEOPLE,
      loadPageData(listSavedViews),
      loadInboxPreferences(),
      loadPageData(listUnansweredIncidents, {}, { ...eventParams, limit: "3" }),
    ]);
  const knownView = removeUnknownValues(requestedView);
  return {
    actor,
    ticket: sealWriterIdAsFormTicket(actor.id),
    path,
    query,
    askedView: knownView,
    view: addDefaultOpenStatusFilter(knownView),
    isFiltered: hasIncidentFilters(knownView),
    /** Whether there is anything to order and filter. */
    hasList: hasIncidentFilters(knownView) || pagination.total > 0 || hasFinished(summary),
    finishedMatches,
    unanswered: { incidents: unanswered.incidents, total: unanswered.pagination.total },
    listHref: buildIncidentListReturnHref(path, knownView),
    event,
    summary,
    /** Empty where no filter names anybody, and no chip is open. */
    filterPeople: people,
    rows,
    pagination,
    saved: views,
    preferences: chosen,
    here: await getCurrentPathAndQuery(),
    now: new Date(),
  };
}

const NO_PEOPLE = { assignees: [], reporters: [] };

/**
 * Loads the page's list; for a search of the open incidents also how many resolved and closed ones match, which is null
 * elsewhere.
 */
async function loadListAndFinishedMatches(
  requestedView: IncidentListViewParams,
  event: TriagePageInput["event"],
) {
  const listParams = {
    limit: PAGE_SIZE,
    ...addDefaultOpenStatusFilter(requestedView),
    ...getViewOrder(requestedView),
  };
  const loadList = (params: typeof listParams) =>
    event ? loadPageData(listEventInbox, { slug: event.slug }, params) : loadPageData(listInbox, {}, params);
  const isOpenSearch = requestedView.search !== undefined && isViewLimitedToOpenStatuses(requestedView);
  const [list, finished] = await Promise.all([
    loadList(listParams),
    isOpenSearch ? loadList({ ...listParams, status: FINISHED_STATUSES, page: "1", limit: "1" }) : null,
  ]);
  return { ...list, finishedMatches: finished?.pagination.total ?? null };
}

const hasFinished = ({ byState }: IncidentCountsSummary) => byState.resolved + byState.closed > 0;

/** Removes ignored filters from the view, so that its buttons and links don't include them. */
const removeUnknownValues = (requestedView: IncidentListViewParams): IncidentListViewParams =>
  Object.fromEntries(
    Object.entries(requestedView).filter(([name]) => !getIgnoredPageFilterNames().has(name)),
  );
