import { currentPath, show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { listIncidentsBySlug, listMyIncidents } from "#lib/incidents/operations.ts";
import type { Actor } from "#lib/policy.ts";
import { listSavedViews } from "#lib/saved-views/operations.ts";
import { listIncidentMarks, summarizeIncidents } from "#lib/triage/operations.ts";
import { MOST_AT_ONCE } from "#lib/triage/schema.ts";
import { preferences } from "./preferences.ts";
import { viewOf } from "./view.ts";

type Of = { actor: Actor; path: string; query: Query; event: { id: string; slug: string } | null };

/** So many pinned reports stand on top. */
const MOST_PINNED = "20";
const A_PAGE = "20";

/** Everything that a desk shows: the list, its numbers, and what is this person's own, in a fixed number of questions. */
export async function deskOf({ actor, path, query, event }: Of) {
  const view = viewOf(query);
  const list = (changes: Query) => {
    const asked = { limit: A_PAGE, ...view, ...changes };
    return event ? show(listIncidentsBySlug, { slug: event.slug }, asked) : show(listMyIncidents, {}, asked);
  };
  const [{ incidents, pagination }, summary, { views }, chosen] = await Promise.all([
    list({}),
    show(summarizeIncidents, {}, event ? { event: event.slug } : {}),
    show(listSavedViews),
    preferences(),
  ]);
  const onTop = summary.pinned > 0 && pagination.page === 1 && view.pinned === undefined;
  const pinned = onTop ? (await list({ pinned: "true", page: "1", limit: MOST_PINNED })).incidents : [];
  return {
    actor,
    path,
    query,
    view,
    event,
    summary,
    incidents,
    pinned,
    pagination,
    saved: views,
    marks: await marksOf([...new Set([...pinned, ...incidents].map(({ id }) => id))]),
    preferences: chosen,
    here: await currentPath(),
    now: new Date(),
  };
}

/** By incident; more than a hundred come in several answers. */
async function marksOf(ids: readonly string[]) {
  const parts = [];
  for (let start = 0; start < ids.length; start += MOST_AT_ONCE)
    parts.push(show(listIncidentMarks, {}, { ids: ids.slice(start, start + MOST_AT_ONCE).join(",") }));
  const marks = (await Promise.all(parts)).flatMap((answer) => answer.marks);
  return new Map(marks.map((mark) => [mark.incidentId, mark]));
}
