/**
 * Converts a URL of the service to one without its origin. The content security policy allows images only from the
 * origin that the page was loaded from, which may differ from the configured one.
 */
export function toRelativeUrl(address: string): string {
  const { pathname, search } = new URL(address, "http://here.invalid");
  return `${pathname}${search}`;
}
