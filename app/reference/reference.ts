import { describeApiOperation } from "#app/api/description.ts";
import { loadPageData } from "#lib/http/page.ts";
import { type OpenApiDocument, type ApiEndpoint, listEndpoints } from "#lib/http/api-reference.ts";

let endpoints: ApiEndpoint[] | undefined;

/** Loads every endpoint from the OpenAPI document; read once, since it never changes. */
export async function loadEndpoints(): Promise<ApiEndpoint[]> {
  endpoints ??= listEndpoints((await loadPageData(describeApiOperation)) as unknown as OpenApiDocument);
  return endpoints;
}
