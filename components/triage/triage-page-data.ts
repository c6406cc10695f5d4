import { createFormTicket } from "#lib/http/form-drafts.ts";
import { currentPath, getIgnoredFilters, loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { listSavedViews } from "#lib/saved-views/operations.ts";
import { listInbox, listEventInbox, summarizeIncidents } from "#lib/triage/operations.ts";
import { loadListPreferences } from "./preferences.ts";
import { type IncidentListView, parseIncidentListView } from "./view.ts";

type TriagePageInput = {
  actor: Actor;
  path: string;
  query: SearchParams;
  event: { id: string; slug: string } | null;
};

/** Number of pinned incidents shown at the top. */
const MAX_PINNED_ROWS = "20";
const PAGE_SIZE = "20";

/**
 * Loads everything for the inbox: the list, its counts, and the current user's own marks and views, in a
 * fixed number of queries.
 */
export async function loadTriagePage({ actor, path, query, event }: TriagePageInput) {
  const requestedView = parseIncidentListView(query);
  const list = (changes: SearchParams) => {
    const listParams = { limit: PAGE_SIZE, ...requestedView, ...changes };
    return event
      ? loadPageData(listEventInbox, { slug: event.slug }, listParams)
      : loadPageData(listInbox, {}, listParams);
  };
  const [{ rows, pagination }, summary, { views }, chosen] = await Promise.all([
    list({}),
    loadPageData(summarizeIncidents, {}, event ? { event: event.slug } : {}),
    loadPageData(listSavedViews),
    loadListPreferences(),
  ]);
  const view = removeUnknownValues(requestedView);
  const onTop = summary.pinned > 0 && pagination.page === 1 && view.pinned === undefined;
  const pinned = onTop ? (await list({ pinned: "true", page: "1", limit: MAX_PINNED_ROWS })).rows : [];
  return {
    actor,
    ticket: createFormTicket(actor.id),
    path,
    query,
    view,
    event,
    summary,
    rows,
    pinned,
    pagination,
    saved: views,
    preferences: chosen,
    here: await currentPath(),
    now: new Date(),
  };
}

/** Removes ignored filters from the view, so that its buttons and links don't include them. */
const removeUnknownValues = (requestedView: IncidentListView): IncidentListView =>
  Object.fromEntries(Object.entries(requestedView).filter(([name]) => !getIgnoredFilters().has(name)));
