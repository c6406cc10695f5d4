import { callOperation, errorResponse } from "#lib/http/endpoint.ts";
import { seeOther } from "#lib/http/upload-form.ts";
import { joinEvent } from "#lib/events/operations.ts";
import { toAppError } from "#lib/operation/errors.ts";

type Context = { params: Promise<{ slug: string }> };

/** Accepts the button of the event page that joins, and returns to the page, which says whether that worked. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const path = `/e/${encodeURIComponent((await params).slug)}`;
  const cookies: NonNullable<Parameters<typeof seeOther>[1]> = [];
  try {
    await callOperation(joinEvent, request, { params, cookies });
    return seeOther(`${path}?after=joined`, cookies);
  } catch (error) {
    const appError = toAppError(error, request.headers.get("x-request-id"));
    if (appError.code === "CSRF_REJECTED") return errorResponse(appError);
    const next = appError.code === "UNAUTHENTICATED" ? `/login?next=${encodeURIComponent(path)}` : path;
    return seeOther(next, cookies);
  }
}
