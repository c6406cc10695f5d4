import type { SessionCookie } from "#lib/accounts/sessions.ts";
import { AppError, toAppError, unauthenticated } from "#lib/operation/errors.ts";
import { logDenial, type RequestLogContext } from "#lib/operation/denials.ts";
import { callOperation, type BodyReadCallback, readInput } from "#lib/http/endpoint.ts";
import { readCredentials, identifyActor, setCookieHeader } from "#lib/http/identify.ts";
import type { Operation } from "#lib/operation/operation.ts";
import { isValidIdempotencyKey } from "#lib/incidents/idempotency.ts";
import { isValidUploadToken, refuseOtherWriter, findTicketUserId } from "#lib/http/form-drafts.ts";

/**
 * The upload door: a form with files that is posted without script to a route of the page's own, through the
 * same checks as the API. A server action would take the whole body into memory first.
 */

export type UploadFormResult<Result> = { cookies: SessionCookie[] } & (
  | { ok: true; result: Result }
  | {
      ok: false;
      error: AppError;
      /** What was typed, as far as it had arrived when the body was refused. */
      values: Record<string, string>;
      /** Who wrote it: the user of the form's ticket, or else of the session. */
      userId: string | null;
    }
);

type UploadFormOptions = {
  params: Promise<Record<string, string | string[] | undefined>>;
  shape?: (values: Record<string, string>) => unknown;
};

/**
 * Performs an operation with what a multipart form holds. Its first field, if any, is `ticket`: whoever else is signed in
 * by then, the form is not sent as theirs. It is the idempotency key, too. The address names nobody (`createUploadToken`).
 */
export async function submitUploadForm<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  request: Request,
  { params, shape = (values) => values }: UploadFormOptions,
): Promise<UploadFormResult<Result>> {
  const values: Record<string, string> = {};
  const cookies: SessionCookie[] = [];
  // Browsers send line breaks as CRLF; what was typed has LF.
  const onField = (name: string, value: string) => void (values[name] = value.replaceAll("\r\n", "\n"));
  const onBody: BodyReadCallback = (actor, call) => {
    const { ticket = "" } = values;
    refuseOtherWriter(actor, findTicketUserId(ticket));
    call.idempotencyKey ??= isValidIdempotencyKey(ticket) ? ticket : null;
  };
  const mayBeReplay = isValidUploadToken(new URL(request.url).searchParams.get("upload"));
  const logContext: RequestLogContext = {
    operation: operation.name,
    requestId: request.headers.get("x-request-id"),
  };
  try {
    const readShapedInput = () => shape(dropEmptyFields(values));
    const result = (await callOperation(operation, request, {
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
    return { ok: false, values, cookies, ...(await resolveWriter(error, { values, request })) };
  }
}

/** A form sends its empty fields, too; they mean "not given". Its ticket is no input. */
const dropEmptyFields = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== "" && name !== "ticket"));

const isBodyUnread = ({ code }: AppError, { body }: Request): boolean =>
  code !== "CSRF_REJECTED" && body !== null && !body.locked;

/** Only with an upload token: nobody else makes the server read a body without a session (contract 3.4). */
async function readRemainingValues(
  operation: Operation<never, unknown> | Operation,
  request: Request,
  onField: (name: string, value: string) => void,
): Promise<void> {
  try {
    await (await readInput(operation, request, onField)).upload?.discard();
  } catch (error) {
    // Refused for its files; the words before them have arrived.
    if (!(error instanceof AppError)) throw error;
  }
}

type RefusedForm = { values: Record<string, string>; request: Request };

/** Whose form was refused. Somebody else who is signed in by now isn't told why: for them it is a sign-in. */
async function resolveWriter(
  error: AppError,
  { values, request }: RefusedForm,
): Promise<{ error: AppError; userId: string | null }> {
  const [writer, signedIn] = [findTicketUserId(values.ticket ?? null), await findSenderId(request)];
  const isOtherUser = writer !== null && signedIn !== null && writer !== signedIn;
  return { error: isOtherUser ? unauthenticated() : error, userId: writer ?? signedIn };
}

async function findSenderId(request: Request): Promise<string | null> {
  try {
    return (await identifyActor(readCredentials(request.headers))).actor?.id ?? null;
  } catch {
    return null;
  }
}

/** After a post: look at another page (303), so that a reload sends nothing twice. */
export function seeOther(path: string, cookies: SessionCookie[] = []): Response {
  const response = new Response(null, { status: 303, headers: { Location: path } });
  for (const cookie of cookies) response.headers.append("Set-Cookie", setCookieHeader(cookie));
  return response;
}
