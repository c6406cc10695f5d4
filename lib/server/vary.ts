import type { ServerResponse } from "node:http";

/**
 * Adds names of request headers to `Vary`, each once. A shared cache then reuses a response only for requests with
 * equal values of these headers.
 */
export function addVary(response: ServerResponse, names: readonly string[]): void {
  const vary = [response.getHeader("Vary") ?? []].flat().join(", ");
  const present = new Set(vary.toLowerCase().split(/[\s,]+/));
  const missing = names.filter((name) => !present.has(name.toLowerCase()));
  if (missing.length > 0) response.setHeader("Vary", [vary, ...missing].filter(Boolean).join(", "));
}
