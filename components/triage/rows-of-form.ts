import { loadPageDataStrict } from "#lib/http/page.ts";
import { listIncidentRefs } from "#lib/triage/operations.ts";
import { MAX_BULK_INCIDENTS } from "#lib/triage/schema.ts";
import { RowRefSchema } from "./deed-schema.ts";
import { type MatchingRows, parseRowRef, type IncidentRowRef } from "./deeds.ts";
import { parseSavedQuery } from "./view.ts";

/** The rows that the form of the list means: the ticked ones, or the first hundred that match where "all" is ticked. */
export async function loadFormRows(form: FormData): Promise<IncidentRowRef[]> {
  if (form.get("all")) return (await loadMatchingPart(readMatchingRows(form), null)).rows;
  return parseRowRefs(form.getAll("row")).slice(0, MAX_BULK_INCIDENTS);
}

export const parseRowRefs = (values: readonly unknown[]): IncidentRowRef[] =>
  values.flatMap((value) => RowRefSchema.safeParse(parseRowRef(value)).data ?? []);

export const readMatchingRows = (form: FormData): MatchingRows => ({
  query: String(form.get("view") ?? ""),
  event: String(form.get("event") ?? ""),
});

/** Which ones they are; whatever goes through all of them has an order of its own. */
export function parseMatchingFilters({ query, event }: MatchingRows): Record<string, string> {
  const { sort: _, order: __, ...filters } = parseSavedQuery(query);
  return { ...filters, ...(event && { event }) };
}

type MatchingRow = IncidentRowRef & { title: string; place: string };

/** A hundred of all that match, behind a place. @throws AppError where a filter isn't known: without it more would match */
export async function loadMatchingPart(
  matching: MatchingRows,
  after: string | null,
): Promise<{ rows: MatchingRow[]; complete: boolean }> {
  const pageParams = {
    ...parseMatchingFilters(matching),
    ...(after && { after }),
    limit: String(MAX_BULK_INCIDENTS),
  };
  const { refs, complete } = await loadPageDataStrict(listIncidentRefs, {}, pageParams);
  const rows = refs.map(({ updatedAt, ...ref }) => ({ ...ref, at: updatedAt }));
  return { rows, complete };
}
