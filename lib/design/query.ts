/** Search params as Next hands them to a page. */
export type SearchParams = Record<string, string | string[] | undefined>;

/** One value of the query; undefined where it is missing, blank or there twice. */
export function readSearchParam(query: SearchParams, name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * A link to `path` that keeps the query and changes some of it; null or an empty string removes a name. The
 * address bar holds the whole view, so every filter, sort and page link is made here.
 */
export function buildHref(
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

/** The page numbers to link, in order; `null` stands for a gap. First, last and the neighbours stay. */
export function listPageNumbers(page: number, pages: number): (number | null)[] {
  const shown = [...new Set([1, page - 1, page, page + 1, pages])].filter((n) => n >= 1 && n <= pages);
  shown.sort((a, b) => a - b);
  return shown.flatMap((n, at) => {
    const before = shown[at - 1];
    if (before === undefined || n - before === 1) return [n];
    return n - before === 2 ? [n - 1, n] : [null, n];
  });
}
