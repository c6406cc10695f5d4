/**
 * An address of the service without its origin: the content security policy allows pictures of the address that the page
 * itself came from, which needn't be the one that the service goes by.
 */
export function toRelativeUrl(address: string): string {
  const { pathname, search } = new URL(address, "http://here.invalid");
  return `${pathname}${search}`;
}
