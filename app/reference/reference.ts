import { description } from "#app/api/description.ts";
import { show } from "#lib/http/page.ts";
import { type Document, type Endpoint, endpointsOf } from "#lib/http/api-reference.ts";

let endpoints: Endpoint[] | undefined;

/** Every endpoint, from the document that the service answers with; read once, since it doesn't change. */
export async function allEndpoints(): Promise<Endpoint[]> {
  endpoints ??= endpointsOf((await show(description)) as unknown as Document);
  return endpoints;
}
