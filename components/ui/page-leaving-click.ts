import { isUnmodifiedPrimaryClick } from "./unmodified-click.ts";

/** Returns whether a click follows a link to another page of the service in this window. */
export function isPageLeavingLinkClick(event: MouseEvent): boolean {
  if (!isUnmodifiedPrimaryClick(event)) return false;
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
  // The quick exit doesn't count: callers ask before a link discards text, and the quick exit must never ask.
  if (!link || link.dataset.exit !== undefined || link.download || (link.target && link.target !== "_self"))
    return false;
  const { origin, pathname, search } = new URL(link.href);
  const here = window.location;
  return origin === here.origin && (pathname !== here.pathname || search !== here.search);
}
