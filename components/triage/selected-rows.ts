import { loadPageDataRefusingBadFilters } from "#lib/http/page.ts";
import { listIncidentRefs } from "#lib/incidents/inbox-operations.ts";
import { MAX_BULK_INCIDENTS } from "#lib/incidents/inbox-schema.ts";
import { incidentRowSnapshotSchema } from "./bulk-action-schema.ts";
import {
  type MatchingRowsQuery,
  parseIncidentRowSnapshot,
  type IncidentRowSnapshot,
} from "./bulk-actions.ts";
import { parseSavedViewQuery } from "./view.ts";

/**
 * Returns the rows to which the list's form applies: the checked ones, or the first hundred matching ones if "all" is
 * checked.
 */
export async function loadSelectedIncidentRowSnapshots(form: FormData): Promise<IncidentRowSnapshot[]> {
  if (form.get("all")) return (await loadMatchingRowsBatch(readMatchingRowsQueryFromForm(form), null)).rows;
  return readIncidentRowSnapshots(form, form.getAll("row")).slice(0, MAX_BULK_INCIDENTS);
}

/** Reads rows as they were on screen, by their places, from the form's field with all rows of the page. */
export const readIncidentRowSnapshots = (form: FormData, places: readonly unknown[]): IncidentRowSnapshot[] =>
  String(form.get("rows") ?? "")
    .split(" ")
    .filter((_, at) => places.includes(String(at)))
    .flatMap((value) => incidentRowSnapshotSchema.safeParse(parseIncidentRowSnapshot(value)).data ?? []);

export const readMatchingRowsQueryFromForm = (form: FormData): MatchingRowsQuery => ({
  query: String(form.get("view") ?? ""),
  event: String(form.get("event") ?? ""),
});

/** Returns the filters without sorting, because going through all matching rows uses its own order. */
export function parseMatchingRowsFilters({ query, event }: MatchingRowsQuery): Record<string, string> {
  const { sort: _, order: __, ...filters } = parseSavedViewQuery(query);
  return { ...filters, ...(event && { event }) };
}

type MatchingRow = IncidentRowSnapshot & { title: string; place: string };

/**
 * Loads the next hundred matching rows after a cursor.
 * @throws AppError if a filter is unknown, because without it more rows would match
 */
export async function loadMatchingRowsBatch(
  matching: MatchingRowsQuery,
  after: string | null,
): Promise<{ rows: MatchingRow[]; complete: boolean }> {
  const pageParams = {
    ...parseMatchingRowsFilters(matching),
    ...(after && { after }),
    limit: String(MAX_BULK_INCIDENTS),
  };
  const { refs, complete } = await loadPageDataRefusingBadFilters(listIncidentRefs, pageParams);
  const rows = refs.map(({ updatedAt, ...ref }) => ({ ...ref, at: updatedAt }));
  return { rows, complete };
}
