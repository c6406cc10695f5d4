import type { Asking } from "#lib/operation/request.ts";

/**
 * What the guard in front needs to call an operation by itself, past Next's router (docs/decisions/026). The first
 * request of a path goes through Next, which loads its module; its handler then says here what it answers with. The
 * bundler and the start command load modules of their own, so what is said here is known to the whole process.
 */

/** An answer in plain words: JSON, or nothing (204). */
export type Answered = {
  status: number;
  headers: Record<string, string>;
  /** As `Set-Cookie` has them. */
  cookies: string[];
  text: string | null;
};

export type ShortWay = (request: Asking, params: Record<string, string>) => Promise<Answered>;

/** The pattern of the route that a request is on its way to, set by the guard in front and by nobody else. */
export const ROUTE_HEADER = "x-heed-route";

const known = ((globalThis as unknown as { heedShortWays?: Map<string, ShortWay> }).heedShortWays ??=
  new Map());

const nameOf = (method: string, pattern: string): string => `${method} ${pattern}`;

/** The way to an operation; undefined until the first request has come through Next. */
export const shortWayOf = (method: string, pattern: string): ShortWay | undefined =>
  known.get(nameOf(method, pattern));

/** Keeps the way to the operation that this request reached. */
export function rememberWay(request: Asking, way: ShortWay): void {
  const pattern = request.headers.get(ROUTE_HEADER);
  if (pattern) known.set(nameOf(request.method, pattern), way);
}
