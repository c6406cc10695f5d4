import { getCurrentLocale } from "#lib/http/page.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { handleOperationHttpCall } from "#lib/http/endpoint.ts";
import { saveRefusedFormOfUser, readFormTicketWriterId } from "#lib/http/form-drafts.ts";
import { readCredentials, identifyActor } from "#lib/http/identify.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { type AppError, toAppError } from "#lib/operation/errors.ts";
import { describeProblem } from "#lib/i18n/problems.ts";

type Fields = Record<string, string>;

type PostedForm = {
  operation: Parameters<typeof handleOperationHttpCall>[0];
  /** Path of the page that has the form, to which a refused form goes back, and the place in it. */
  page: string;
  anchor?: string;
  /** Path parameters of the operation. */
  params: Record<string, string>;
  /** The name of the form among the page's forms. */
  form: string;
  /** What the operation is given. */
  input: Record<string, unknown>;
  fields: Fields;
  /** What is said beside the field `reason` of a form without one. */
  reasonMissing: () => Promise<string>;
};

/** Sends the file that an operation returns for a posted form; when it is refused, redirects back to the page. */
export async function sendPostedFile(request: Request, posted: PostedForm): Promise<Response> {
  const { operation, page, anchor = "", params, form, fields, input, reasonMissing } = posted;
  const { ticket = null, ...values } = fields;
  const writer = readFormTicketWriterId(ticket);
  try {
    const routeContext = { params: Promise.resolve(params), cookies: [], writer };
    return (await handleOperationHttpCall(
      operation,
      toJsonRequest(request, input),
      routeContext,
    )) as Response;
  } catch (thrown) {
    const error = toAppError(thrown);
    const signedOut = error.code === "UNAUTHENTICATED";
    const keeper = signedOut ? writer : (await identifyActor(readCredentials(request.headers))).actor?.id;
    if (!keeper) return createSeeOtherResponse(`/login?next=${encodeURIComponent(page)}`);
    const state = await toFormState(error, { values: { ...values, form }, reasonMissing });
    return createSeeOtherResponse(`${page}?return=${await saveRefusedFormOfUser(keeper, state)}${anchor}`);
  }
}

const MAX_FORM_CONTENT_BYTES = 16 * 1024;

/** Reads a small form as browsers send it; null for anything else, which none of our forms sends. */
export async function readPostedFields(request: Request): Promise<Fields | null> {
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

async function toFormState(
  error: AppError,
  { values, reasonMissing }: { values: Fields } & Pick<PostedForm, "reasonMissing">,
): Promise<FormState> {
  if (error.code === "VALIDATION_ERROR")
    return { ok: false, fieldErrors: { reason: await reasonMissing() }, values };
  if (error.code === "UNAUTHENTICATED")
    return { ok: false, error: (await getTranslator("report"))("signedOut"), values };
  const { title, advice } = describeProblem(await getCurrentLocale(), error);
  return { ok: false, error: `${title} ${advice}`.trim(), values };
}
