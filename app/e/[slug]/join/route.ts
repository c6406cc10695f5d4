import { joinEvent } from "#lib/events/operations.ts";
import { joinEventTeam } from "#lib/own-account/operations.ts";
import { handleOperationHttpCall, createErrorResponse } from "#lib/http/endpoint.ts";
import { saveRefusedFormOfUser } from "#lib/http/form-drafts.ts";
import { getCurrentActor, getCurrentLocale } from "#lib/http/page.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { describeProblem } from "#lib/i18n/problems.ts";
import { toAppError } from "#lib/operation/errors.ts";

type Context = { params: Promise<{ slug: string }> };

/**
 * Handles the event page's forms for joining the event, and for joining its team (`?team=true`). Redirects to the page,
 * which says whether joining worked, or to sign-in without a session.
 */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const path = `/e/${encodeURIComponent((await params).slug)}`;
  const cookies: NonNullable<Parameters<typeof createSeeOtherResponse>[1]> = [];
  try {
    if (new URL(request.url).searchParams.has("team")) {
      await handleOperationHttpCall(joinEventTeam, request, { params, cookies });
      return createSeeOtherResponse(`${path}/team`, cookies);
    }
    await handleOperationHttpCall(joinEvent, request, { params, cookies });
    return createSeeOtherResponse(`${path}?after=joined`, cookies);
  } catch (thrown) {
    const error = toAppError(thrown, request.headers.get("x-request-id"));
    if (error.code === "CSRF_REJECTED") return createErrorResponse(error);
    const actor = await getCurrentActor().catch(() => null);
    if (!actor) return createSeeOtherResponse(`/login?next=${encodeURIComponent(path)}`, cookies);
    const { title, advice } = describeProblem(await getCurrentLocale(), error);
    const state = { ok: false, error: `${title} ${advice}`.trim() };
    return createSeeOtherResponse(`${path}?return=${await saveRefusedFormOfUser(actor.id, state)}`, cookies);
  }
}
