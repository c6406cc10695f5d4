import { buildHrefWithQueryChanges, type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";

/** Query parameters that filter an audit log; those for paging are separate. */
const AUDIT_FILTER_NAMES = ["actor", "action", "objectType", "from", "to"] as const;

/**
 * Reads the audit operation's query from the page's URL. `extraNames` lists further parameters to pass on, such as `chain`.
 */
export function readAuditLogQueryFromPageUrl(
  query: SearchParams,
  extraNames: readonly string[] = [],
): SearchParams {
  const names = [...AUDIT_FILTER_NAMES, "page", "before", ...extraNames];
  return Object.fromEntries(names.map((name) => [name, readSingleSearchParam(query, name)]));
}

/**
 * Builds the URL of the whole filtered log as CSV.
 * @param path of the operation under /api
 */
export function buildAuditCsvHref(
  path: string,
  query: SearchParams,
  extraNames: readonly string[] = [],
): string {
  return buildHrefWithQueryChanges(
    path,
    { ...readAuditLogQueryFromPageUrl(query, extraNames), page: undefined, before: undefined },
    { format: "csv" },
  );
}

/** Reports whether any filter is set. */
export const hasAuditFilters = (query: SearchParams): boolean =>
  AUDIT_FILTER_NAMES.some((name) => readSingleSearchParam(query, name) !== undefined);
