import { unstable_rethrow } from "next/navigation";
import { createErrorResponse } from "#lib/http/endpoint.ts";
import { readQuery } from "#lib/http/query.ts";
import { toAppError } from "#lib/operation/errors.ts";

const HEADERS = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" };

/** Creates the handler of what an open page fetches besides the API: JSON in the reader's language. */
export const createPageDataHandler =
  (load: (query: Record<string, string>) => Promise<unknown>) =>
  async (request: Request): Promise<Response> => {
    try {
      return Response.json(await load(readQuery(request.url)), { headers: HEADERS });
    } catch (error) {
      unstable_rethrow(error);
      return createErrorResponse(toAppError(error, request.headers.get("x-request-id")));
    }
  };
