/** Search parameters as Next passes them to a page. */
export type SearchParams = Record<string, string | string[] | undefined>;

/** Returns one value of the query; undefined if it is missing, blank or repeated. */
export function readSingleSearchParam(query: SearchParams, name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Builds a link to `path` that keeps the query and changes some of it; null or an empty string removes a name. Every
 * filter, sort and page link is built here, because the address bar holds the whole view.
 */
export function buildHrefWithQueryChanges(
  path: string,
  query: SearchParams,
  changes: Record<string, string | number | null>,
): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, ...changes })) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") params.append(name, String(one));
    }
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

/** Lists the page numbers to link, in order; `null` is a gap. Includes the first, the last and the adjacent pages. */
export function listPageNumbers(page: number, pages: number): (number | null)[] {
  const shown = [...new Set([1, page - 1, page, page + 1, pages])].filter((n) => n >= 1 && n <= pages);
  shown.sort((a, b) => a - b);
  return shown.flatMap((n, at) => {
    const before = shown[at - 1];
    if (before === undefined || n - before === 1) return [n];
    return n - before === 2 ? [n - 1, n] : [null, n];
  });
}
