import type { ApiRequest } from "#lib/operation/request.ts";

/**
 * What the guard in front needs to call an operation by itself, past Next's router (docs/decisions/026). The first
 * request of a path goes through Next, which loads its module; its handler then says here what it answers with. The
 * bundler and the start command load modules of their own, so what is said here is known to the whole process.
 */

/** An answer in plain words: JSON, or nothing (204). */
export type ApiResponse = {
  status: number;
  headers: Record<string, string>;
  /** As `Set-Cookie` has them. */
  cookies: string[];
  text: string | null;
};

export type DirectHandler = (request: ApiRequest, params: Record<string, string>) => Promise<ApiResponse>;

/** The pattern of the route that a request is on its way to, set by the guard in front and by nobody else. */
export const ROUTE_HEADER = "x-heed-route";

const directHandlers = ((
  globalThis as unknown as { heedShortWays?: Map<string, DirectHandler> }
).heedShortWays ??= new Map());

const handlerKey = (method: string, pattern: string): string => `${method} ${pattern}`;

/** The way to an operation; undefined until the first request has come through Next. */
export const directHandlerFor = (method: string, pattern: string): DirectHandler | undefined =>
  directHandlers.get(handlerKey(method, pattern));

/** Keeps the way to the operation that this request reached. */
export function registerDirectHandler(request: ApiRequest, handler: DirectHandler): void {
  const pattern = request.headers.get(ROUTE_HEADER);
  if (pattern) directHandlers.set(handlerKey(request.method, pattern), handler);
}
