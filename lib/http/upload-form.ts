import type { SessionCookie } from "#lib/accounts/sessions.ts";
import { AppError, describeError, unauthenticated } from "#lib/operation/errors.ts";
import { noteDenial, type Requested } from "#lib/operation/denials.ts";
import { callOperation, type OnBody, readInput } from "#lib/http/endpoint.ts";
import { credentialsIn, identify, setCookieHeader } from "#lib/http/identify.ts";
import type { Operation } from "#lib/operation/operation.ts";
import { isKey } from "#lib/incidents/idempotency.ts";
import { isUploadToken, refuseOthers, userOfTicket } from "#lib/http/form-drafts.ts";

/**
 * The upload door: a form with files that is posted without script to a route of the page's own, through the
 * same checks as the API. A server action would take the whole body into memory first.
 */

export type Received<Result> = { cookies: SessionCookie[] } & (
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

type Receiving = {
  params: Promise<Record<string, string | string[] | undefined>>;
  shape?: (values: Record<string, string>) => unknown;
};

/**
 * Performs an operation with what a multipart form holds. Its first field, if any, is `ticket`: whoever else is signed in
 * by then, the form is not sent as theirs. It is the idempotency key, too. The address names nobody (`createUploadToken`).
 */
export async function receiveForm<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  request: Request,
  { params, shape = (values) => values }: Receiving,
): Promise<Received<Result>> {
  const values: Record<string, string> = {};
  const cookies: SessionCookie[] = [];
  // Browsers send line breaks as CRLF; what was typed has LF.
  const onField = (name: string, value: string) => void (values[name] = value.replaceAll("\r\n", "\n"));
  const onBody: OnBody = (actor, call) => {
    const { ticket = "" } = values;
    refuseOthers(actor, userOfTicket(ticket));
    call.idempotencyKey ??= isKey(ticket) ? ticket : null;
  };
  const mayBeReplay = isUploadToken(new URL(request.url).searchParams.get("upload"));
  const about: Requested = { operation: operation.name, requestId: request.headers.get("x-request-id") };
  try {
    const shaped = () => shape(dropEmptyFields(values));
    const result = (await callOperation(operation, request, {
      params,
      cookies,
      shape: shaped,
      onField,
      onBody,
      mayBeReplay,
      about,
    })) as Result;
    return { ok: true, result, cookies };
  } catch (thrown) {
    const error = describeError(thrown, about.requestId);
    noteDenial(error, about);
    if (mayBeReplay && isBodyUnread(error, request)) await readWords(operation, request, onField);
    return { ok: false, values, cookies, ...(await resolveWriter(error, { values, request })) };
  }
}

/** A form sends its empty fields, too; they mean "not given". Its ticket is no input. */
const dropEmptyFields = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== "" && name !== "ticket"));

const isBodyUnread = ({ code }: AppError, { body }: Request): boolean =>
  code !== "CSRF_REJECTED" && body !== null && !body.locked;

/** Only with an upload token: nobody else makes the server read a body without a session (contract 3.4). */
async function readWords(
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

type Sent = { values: Record<string, string>; request: Request };

/** Whose form was refused. Somebody else who is signed in by now isn't told why: for them it is a sign-in. */
async function resolveWriter(
  error: AppError,
  { values, request }: Sent,
): Promise<{ error: AppError; userId: string | null }> {
  const [writer, signedIn] = [userOfTicket(values.ticket ?? null), await sender(request)];
  const foreign = writer !== null && signedIn !== null && writer !== signedIn;
  return { error: foreign ? unauthenticated() : error, userId: writer ?? signedIn };
}

async function sender(request: Request): Promise<string | null> {
  try {
    return (await identify(credentialsIn(request.headers))).actor?.id ?? null;
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
