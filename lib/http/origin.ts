/** Returns whether an origin is the service's own: that of BASE_URL, or of the host that the request names. */
export function isOwnOrigin(origin: string, host: string | null, baseUrl: string): boolean {
  if (origin === baseUrl) return true;
  try {
    return host !== null && new URL(origin).host === host;
  } catch {
    return false;
  }
}
