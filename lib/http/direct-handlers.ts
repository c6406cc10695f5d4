import type { ApiRequest } from "#lib/operation/request.ts";
import { processWide } from "#lib/process-wide.ts";

/**
 * Lets the request guard call an operation directly, past Next's router (docs/architecture.md). The first request to a
 * path goes through Next, which loads its module; its handler then registers itself here.
 */

/** A response as plain data: JSON, or no body (204). */
export type ApiResponse = {
  status: number;
  headers: Record<string, string>;
  /** Values of `Set-Cookie` headers. */
  cookies: string[];
  text: string | null;
};

/** The handler that serves an operation's requests on the direct API path, with every check of the HTTP adapter. */
export type DirectApiPathHandler = (
  request: ApiRequest,
  params: Record<string, string>,
) => Promise<ApiResponse>;

/**
 * The header in which our HTTP server (`lib/server/direct-api.ts`) passes a request's route pattern to Next. Values
 * that clients send in it are dropped.
 */
export const ROUTE_HEADER = "x-heed-route";

const directHandlers = processWide("direct handlers", () => new Map<string, DirectApiPathHandler>());

const buildHandlerKey = (method: string, pattern: string): string => `${method} ${pattern}`;

/** Returns the direct handler of an operation; undefined until its first request has come through Next. */
export const findDirectApiPathHandler = (method: string, pattern: string): DirectApiPathHandler | undefined =>
  directHandlers.get(buildHandlerKey(method, pattern));

/** Registers the handler of the operation that this request reached. */
export function registerDirectApiPathHandler(request: ApiRequest, handler: DirectApiPathHandler): void {
  const pattern = request.headers.get(ROUTE_HEADER);
  if (pattern) directHandlers.set(buildHandlerKey(request.method, pattern), handler);
}
