import type { PageAndTotalPages } from "#lib/operation/json-text.ts";

/**
 * Builds the header `Link` of a list (contract 3.17): the same request for its first, previous, next and last page. The
 * URLs have no host.
 * @param url the request's
 * @param nextCursor sealed position of the next page; null when this is the last one; undefined without cursors
 */
export function buildPaginationLinkHeader(
  url: string,
  { page, totalPages }: PageAndTotalPages,
  nextCursor?: string | null,
): string {
  const { pathname, searchParams } = new URL(url);
  const last = Math.max(1, totalPages);
  const linkTo = (rel: string, changes: Record<string, string>) => {
    const query = new URLSearchParams(searchParams);
    query.delete("page");
    query.delete("cursor");
    for (const [name, value] of Object.entries(changes)) query.set(name, value);
    return `<${pathname}?${query}>; rel="${rel}"`;
  };
  const toPage = (rel: string, number: number) => linkTo(rel, { page: `${number}` });
  const next = () => {
    if (nextCursor === undefined) return page < last ? [toPage("next", page + 1)] : [];
    return nextCursor === null ? [] : [linkTo("next", { cursor: nextCursor })];
  };
  // A page that begins at a cursor has no number, so there is no previous or last page to link.
  if (searchParams.has("cursor")) return [toPage("first", 1), ...next()].join(", ");
  const previous = page > 1 ? [toPage("prev", Math.min(page - 1, last))] : [];
  return [toPage("first", 1), ...previous, ...next(), toPage("last", last)].join(", ");
}

/** Returns the page numbers of a list's result; undefined for a result without pages. */
export function findPageAndTotalPages(result: unknown): PageAndTotalPages | undefined {
  const { pagination } = (result ?? {}) as { pagination?: Partial<PageAndTotalPages> };
  return typeof pagination?.page === "number" && typeof pagination.totalPages === "number"
    ? { page: pagination.page, totalPages: pagination.totalPages }
    : undefined;
}
