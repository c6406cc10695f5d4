import { showExactly } from "#lib/http/page.ts";
import { listIncidentRefs } from "#lib/triage/operations.ts";
import { MOST_AT_ONCE } from "#lib/triage/schema.ts";
import { RowSent } from "./deed-schema.ts";
import { type Matching, rowOf, type RowRef } from "./deeds.ts";
import { filtersIn } from "./view.ts";

/** The rows that the form of the list means: the ticked ones, or the first hundred that match where "all" is ticked. */
export async function rowsOfForm(form: FormData): Promise<RowRef[]> {
  if (form.get("all")) return (await partOf(matchingIn(form), null)).rows;
  return knownRows(form.getAll("row")).slice(0, MOST_AT_ONCE);
}

export const knownRows = (values: readonly unknown[]): RowRef[] =>
  values.flatMap((value) => RowSent.safeParse(rowOf(value)).data ?? []);

export const matchingIn = (form: FormData): Matching => ({
  query: String(form.get("view") ?? ""),
  event: String(form.get("event") ?? ""),
});

/** Which ones they are; whatever goes through all of them has an order of its own. */
export function filtersOf({ query, event }: Matching): Record<string, string> {
  const { sort: _, order: __, ...filters } = filtersIn(query);
  return { ...filters, ...(event && { event }) };
}

type MatchingRow = RowRef & { title: string; place: string };

/** A hundred of all that match, behind a place. @throws AppError where a filter isn't known: without it more would match */
export async function partOf(
  matching: Matching,
  after: string | null,
): Promise<{ rows: MatchingRow[]; complete: boolean }> {
  const asked = { ...filtersOf(matching), ...(after && { after }), limit: String(MOST_AT_ONCE) };
  const { refs, complete } = await showExactly(listIncidentRefs, {}, asked);
  const rows = refs.map(({ updatedAt, ...ref }) => ({ ...ref, at: updatedAt }));
  return { rows, complete };
}
