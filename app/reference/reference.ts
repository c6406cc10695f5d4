import { showOpenApiDocument } from "#app/api/description.ts";
import { loadPageData } from "#lib/http/page.ts";
import {
  type OpenApiDocument,
  type ApiReferenceEndpoint,
  listApiReferenceEndpoints,
} from "#lib/http/api-reference.ts";

let endpoints: ApiReferenceEndpoint[] | undefined;

/** Loads every endpoint from the OpenAPI document; read once, since it never changes. */
export async function loadApiReferenceEndpoints(): Promise<ApiReferenceEndpoint[]> {
  endpoints ??= listApiReferenceEndpoints(
    (await loadPageData(showOpenApiDocument)) as unknown as OpenApiDocument,
  );
  return endpoints;
}
