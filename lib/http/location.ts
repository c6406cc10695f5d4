import { SerializedJsonOutput } from "#lib/operation/json-text.ts";
import type { Operation } from "#lib/operation/operation.ts";
import type { ApiRequest } from "#lib/operation/request.ts";

/**
 * Builds `Location`, the path that shows a created record (contract 3.21): the record's own path where GET reads it,
 * else the list to which it was added, which is mostly the path of the request.
 */
export function buildLocationHeaders(
  { status, location }: Pick<Operation<never>, "status" | "location">,
  { url }: Pick<ApiRequest, "url">,
  result: unknown,
): Record<string, string> {
  if (status !== 201) return {};
  if (result instanceof Response || result instanceof SerializedJsonOutput) return {};
  const path = new URL(url).pathname.replace(/^\/(?=events\/)/, "/api/");
  return { Location: location?.(result as never, path) ?? path };
}
