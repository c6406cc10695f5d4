import { formTicket } from "#lib/http/form-drafts.ts";
import { currentPath, leftOut, show } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { listSavedViews } from "#lib/saved-views/operations.ts";
import { listDesk, listDeskOfEvent, summarizeIncidents } from "#lib/triage/operations.ts";
import { preferences } from "./preferences.ts";
import { type View, viewOf } from "./view.ts";

type Of = { actor: Actor; path: string; query: Query; event: { id: string; slug: string } | null };

/** So many pinned reports stand on top. */
const MOST_PINNED = "20";
const A_PAGE = "20";

/** Everything that a desk shows: the list, its numbers, and what is this person's own, in a fixed number of questions. */
export async function deskOf({ actor, path, query, event }: Of) {
  const given = viewOf(query);
  const list = (changes: Query) => {
    const asked = { limit: A_PAGE, ...given, ...changes };
    return event ? show(listDeskOfEvent, { slug: event.slug }, asked) : show(listDesk, {}, asked);
  };
  const [{ rows, pagination }, summary, { views }, chosen] = await Promise.all([
    list({}),
    show(summarizeIncidents, {}, event ? { event: event.slug } : {}),
    show(listSavedViews),
    preferences(),
  ]);
  const view = knownIn(given);
  const onTop = summary.pinned > 0 && pagination.page === 1 && view.pinned === undefined;
  const pinned = onTop ? (await list({ pinned: "true", page: "1", limit: MOST_PINNED })).rows : [];
  return {
    actor,
    ticket: formTicket(actor.id),
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

/** The view as it is shown: what was left out of it isn't in what its buttons and links mean, either. */
const knownIn = (given: View): View =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !leftOut().has(name)));
