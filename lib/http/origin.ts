import type { Env } from "#lib/env.ts";

/**
 * Returns whether an origin is the service's own: that of BASE_URL, and in local mode also that of the host which the
 * request names. In production mode a request could name any host.
 */
export function isOwnOrigin(
  origin: string,
  host: string | null,
  { baseUrl, production }: Pick<Env, "baseUrl" | "production">,
): boolean {
  if (origin === baseUrl) return true;
  if (production) return false;
  try {
    return host !== null && new URL(origin).host === host;
  } catch {
    return false;
  }
}
