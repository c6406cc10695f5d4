import { getCurrentLocale } from "#lib/http/page.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { handleOperationHttpCall } from "#lib/http/endpoint.ts";
import { saveRefusedFormOfUser, readFormTicketWriterId } from "#lib/http/form-drafts.ts";
import { readCredentials, identifyActor } from "#lib/http/identify.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { type AppError, toAppError } from "#lib/operation/errors.ts";
import { openOriginal } from "#lib/evidence/operations.ts";
import { describeProblem } from "#lib/i18n/problems.ts";

type Context = { params: Promise<{ slug: string; id: string }> };

/**
 * Sends a sealed original to a person who posts a reason for it; without a reason, redirects back to the
 * incident.
 */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug, id } = await params;
  const page = `/e/${encodeURIComponent(slug)}/i/${encodeURIComponent(id)}`;
  const fields = await readFormFields(request);
  if (!fields) return createSeeOtherResponse(page);
  const { fileId = "", reason = "", ticket = null } = fields;
  const writer = readFormTicketWriterId(ticket);
  try {
    const routeContext = { params: Promise.resolve({ slug, incidentId: id, fileId }), cookies: [], writer };
    return (await handleOperationHttpCall(
      openOriginal,
      toJsonRequest(request, { reason }),
      routeContext,
    )) as Response;
  } catch (thrown) {
    const error = toAppError(thrown);
    const signedOut = error.code === "UNAUTHENTICATED";
    const keeper = signedOut ? writer : (await identifyActor(readCredentials(request.headers))).actor?.id;
    if (!keeper) return createSeeOtherResponse(`/login?next=${encodeURIComponent(page)}`);
    const state = await toFormState(error, { form: `original:${fileId}`, reason });
    return createSeeOtherResponse(`${page}?return=${await saveRefusedFormOfUser(keeper, state)}#files`);
  }
}

const MAX_FORM_CONTENT_BYTES = 16 * 1024;

/** Reads a small form as browsers send it; null for anything else, which none of our forms sends. */
async function readFormFields(request: Request): Promise<Record<string, string> | null> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  const plain = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "");
  if (!plain || !(length <= MAX_FORM_CONTENT_BYTES)) return null;
  return Object.fromEntries(new URLSearchParams(await request.text()));
}

/** Builds the same request with a JSON body, as the API expects it. */
function toJsonRequest(request: Request, body: unknown): Request {
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  headers.set("content-type", "application/json");
  return new Request(request.url, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: request.signal,
  });
}

async function toFormState(error: AppError, values: Record<string, string>): Promise<FormState> {
  if (error.code === "VALIDATION_ERROR") {
    const t = await getTranslator("incidentPage");
    return { ok: false, fieldErrors: { reason: t("originalReason") }, values };
  }
  if (error.code === "UNAUTHENTICATED")
    return { ok: false, error: (await getTranslator("report"))("signedOut"), values };
  const { title, advice } = describeProblem(await getCurrentLocale(), error);
  return { ok: false, error: `${title} ${advice}`.trim(), values };
}
