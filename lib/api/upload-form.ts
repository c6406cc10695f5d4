import type { SessionCookie } from "#lib/accounts/sessions.ts";
import { AppError, describeError } from "#lib/errors.ts";
import { noteDenial, type Requested } from "#lib/api/denials.ts";
import { callOperation, readInput } from "#lib/api/endpoint.ts";
import { credentialsIn, identify, setCookieHeader } from "#lib/api/identify.ts";
import type { Operation } from "#lib/api/operation.ts";
import { isKey } from "#lib/incidents/sent-once.ts";
import { userOfTicket } from "#lib/api/form-return.ts";

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
      /** Who wrote it: the user of the session, or of the form's ticket when the session is gone. */
      userId: string | null;
    }
);

type Receiving = {
  params: Promise<Record<string, string | string[] | undefined>>;
  shape?: (values: Record<string, string>) => unknown;
};

/**
 * Performs an operation with what a multipart form holds. The ticket, if any, is `ticket` in the query: whoever else is
 * signed in by then, the form is not sent as theirs. It is the key, too, by which what is sent again is known.
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
  const ticket = new URL(request.url).searchParams.get("ticket");
  const writer = userOfTicket(ticket);
  const about: Requested = { operation: operation.name, requestId: request.headers.get("x-request-id") };
  try {
    // A form sends its empty fields, too; they mean "not given".
    const shaped = () =>
      shape(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")));
    const result = (await callOperation(operation, request, {
      params,
      cookies,
      shape: shaped,
      onField,
      writer,
      key: ticket && isKey(ticket) ? ticket : null,
      about,
    })) as Result;
    return { ok: true, result, cookies };
  } catch (thrown) {
    const error = describeError(thrown, about.requestId);
    noteDenial(error, about);
    const unread = NOT_LOOKED_AT.has(error.code) && Object.keys(values).length === 0;
    const bearer = unread ? writer : null;
    if (bearer) await readWords(operation, request, onField);
    return { ok: false, error, values, userId: bearer ?? (await sender(request)), cookies };
  }
}

/** Refusals that come before the body is read, and for which its writer is not to blame. */
const NOT_LOOKED_AT = new Set(["UNAUTHENTICATED", "SERVICE_UNAVAILABLE", "RATE_LIMITED"]);

/** Only for the bearer of a ticket: nobody else makes the server read a body without a session (contract 3.4). */
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
