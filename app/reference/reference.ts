import { describeApiOperation } from "#app/api/description.ts";
import { loadPageData } from "#lib/http/page.ts";
import { type OpenApiDocument, type ApiEndpoint, listEndpoints } from "#lib/http/api-reference.ts";

let endpoints: ApiEndpoint[] | undefined;

/** Every endpoint, from the document that the service answers with; read once, since it doesn't change. */
export async function loadEndpoints(): Promise<ApiEndpoint[]> {
  endpoints ??= listEndpoints((await loadPageData(describeApiOperation)) as unknown as OpenApiDocument);
  return endpoints;
}
