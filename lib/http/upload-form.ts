import type { CookieToSet } from "#lib/accounts/sessions.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { AppError, toAppError, createUnauthenticatedError } from "#lib/operation/errors.ts";
import { createLogContext, logDenial } from "#lib/operation/denials.ts";
import { handleOperationHttpCall, type BodyReadCallback, readOperationInput } from "#lib/http/endpoint.ts";
import { readCredentials, identifyActor, formatSetCookieHeader } from "#lib/http/identify.ts";
import { OPENED_MAILBOX_TAG_FIELD, refuseFormOfOtherMailbox } from "#lib/http/opened-tag.ts";
import { requiresUnidentifiedSender } from "#lib/operation/policy.ts";
import type { Operation } from "#lib/operation/operation.ts";
import { isValidIdempotencyKey } from "#lib/idempotency/key.ts";
import {
  isValidUploadFormUrlToken,
  refuseFormOfOtherWriter,
  readFormTicketWriterId,
} from "#lib/http/form-drafts.ts";

/**
 * The upload adapter: a form with files is posted without script to a route of the page, through the same checks as
 * the API. A server action would first read the whole body into memory.
 */

export type UploadFormResult<Result> = { cookies: CookieToSet[] } & (
  | { ok: true; result: Result }
  | {
      ok: false;
      error: AppError;
      /** The typed text, as far as it had arrived when the body was refused. */
      values: Record<string, string>;
      /** The writer: the user of the form's ticket, or else of the session. */
      userId: string | null;
    }
);

type UploadFormOptions = {
  params: Promise<Record<string, string | string[] | undefined>>;
  shape?: (values: Record<string, string>) => unknown;
};

/**
 * Performs an operation with a multipart form. Its first field, if any, is `ticket`, which is also the idempotency
 * key: if somebody else has signed in by then, the form is not submitted in their name. The ticket names the writer;
 * the token in the URL (`createUploadFormUrlToken`) names nobody.
 */
export async function submitUploadFormToOperation<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  request: Request,
  { params, shape = (values) => values }: UploadFormOptions,
): Promise<UploadFormResult<Result>> {
  const values: Record<string, string> = {};
  const cookies: CookieToSet[] = [];
  const onField = (name: string, value: string) => addField(values, name, value);
  const onBody: BodyReadCallback = async (actor, call) => {
    const { ticket = "" } = values;
    refuseFormOfOtherWriter(actor, readFormTicketWriterId(ticket));
    await refuseFormOfOtherMailbox(operation, call, values[OPENED_MAILBOX_TAG_FIELD]);
    call.idempotencyKey ??= isValidIdempotencyKey(ticket) ? ticket : null;
  };
  const mayBeReplay = isValidUploadFormUrlToken(new URL(request.url).searchParams.get("upload"));
  const logContext = createLogContext(operation, request.headers.get("x-request-id"));
  try {
    const readShapedInput = () => shape(dropEmptyFields(values));
    const result = (await handleOperationHttpCall(operation, request, {
      params,
      cookies,
      shape: readShapedInput,
      onField,
      onBody,
      mayBeReplay,
      about: logContext,
    })) as Result;
    return { ok: true, result, cookies };
  } catch (thrown) {
    const error = toAppError(thrown, logContext.requestId);
    logDenial(error, logContext);
    if (mayBeReplay && isBodyUnread(error, request)) await readRemainingValues(operation, request, onField);
    if (requiresUnidentifiedSender(operation.can))
      return { ok: false, values, cookies, error, userId: readFormTicketWriterId(values.ticket ?? null) };
    return { ok: false, values, cookies, ...(await resolveWriter(error, { values, request })) };
  }
}

/**
 * Browsers send line breaks as CRLF; the person typed LF. Values with the same name are joined as
 * `collectRestorableFormValues` does.
 */
function addField(values: Record<string, string>, name: string, value: string): void {
  const text = value.replaceAll("\r\n", "\n");
  values[name] = name in values ? `${values[name]}\n${text}` : text;
}

/**
 * Drops empty fields, which mean "not given", and the form's ticket (sealWriterIdAsFormTicket), which isn't part of
 * the operation's input.
 */
const dropEmptyFields = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== "" && name !== "ticket"));

const isBodyUnread = ({ code }: AppError, { body }: Request): boolean =>
  code !== "CSRF_REJECTED" && body !== null && !body.locked;

/**
 * Reads the rest of the body, only with an upload token: no one else can make the server read a body without a
 * session (contract 3.4).
 */
async function readRemainingValues(
  operation: Operation<never, unknown> | Operation,
  request: Request,
  onField: (name: string, value: string) => void,
): Promise<void> {
  const sender = createLaneForAddress(request.headers.get("x-heed-client") ?? "").name;
  try {
    await (await readOperationInput(operation, request, { onField, sender })).upload?.discard();
  } catch (error) {
    // The files caused the refusal; the text fields before them have arrived.
    if (!(error instanceof AppError)) throw error;
  }
}

type RefusedForm = { values: Record<string, string>; request: Request };

/** Returns whose form was refused. Somebody else who has signed in by then sees a sign-in instead of the reason. */
async function resolveWriter(
  error: AppError,
  { values, request }: RefusedForm,
): Promise<{ error: AppError; userId: string | null }> {
  const [writer, signedIn] = [readFormTicketWriterId(values.ticket ?? null), await findSenderId(request)];
  const isOtherUser = writer !== null && signedIn !== null && writer !== signedIn;
  return { error: isOtherUser ? createUnauthenticatedError() : error, userId: writer ?? signedIn };
}

async function findSenderId(request: Request): Promise<string | null> {
  try {
    return (await identifyActor(readCredentials(request.headers))).actor?.id ?? null;
  } catch {
    return null;
  }
}

/** Redirects after a post (303), so that a reload doesn't submit again. */
export function createSeeOtherResponse(path: string, cookies: CookieToSet[] = []): Response {
  const response = new Response(null, { status: 303, headers: { Location: path } });
  for (const cookie of cookies) response.headers.append("Set-Cookie", formatSetCookieHeader(cookie));
  return response;
}

/** Returns whether a script of our pages sent the request: it gets the form's state instead of a redirect. */
export const isSentByPageScript = (request: Request): boolean =>
  request.headers.get("accept") === "application/json";

/** Responds to the script that submitted a form with the form's state, or with where to go. */
export function createFormStateJsonResponse(
  status: number,
  state: FormState | { location: string },
  cookies: CookieToSet[] = [],
): Response {
  const response = Response.json(state, { status, headers: { "Cache-Control": "no-store" } });
  for (const cookie of cookies) response.headers.append("Set-Cookie", formatSetCookieHeader(cookie));
  return response;
}
