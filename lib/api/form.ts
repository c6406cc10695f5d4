import { cookies, headers } from "next/headers";
import { describeError, InvalidInput, type AppError, type ErrorCode } from "#lib/errors.ts";
import { refuseCrossSite } from "#lib/api/guard.ts";
import { refuseReadOnly } from "#lib/api/identify.ts";
import type { Operation, Params } from "#lib/api/operation.ts";
import { pageCall, viewer } from "#lib/api/page.ts";
import { countCall } from "#lib/api/rate-limits.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { problemOfField } from "#lib/design/named-errors.ts";

/** The form door: a server action submits a form to an operation, through the same checks as the API. */

export type Submitted<Result> =
  { ok: true; result: Result } | { ok: false; state: FormState; code: ErrorCode };

type Shape = (values: Record<string, string>) => unknown;

/**
 * Performs an operation with what a form holds.
 * @param shape turns the form's texts into the operation's input, where they differ.
 * @returns the operation's answer, or the state that the form shows: each field's problem, and every word
 * that was typed (passwords excepted).
 */
export async function submit<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: Params,
  form: FormData,
  shape: Shape = (values) => values,
): Promise<Submitted<Result>> {
  const values = valuesOf(form);
  try {
    refuseCrossSite("POST", await headers());
    const actor = await viewer();
    const jar = await cookies();
    const call = await pageCall();
    call.ifMatch = values.ifMatch ?? null;
    call.setCookie = (cookie) =>
      jar.set(cookie.name, cookie.value, {
        httpOnly: true,
        sameSite: "lax",
        path: "/",
        secure: cookie.secure,
        maxAge: cookie.maxAge,
      });
    await countCall(operation.limit, { userId: actor?.id ?? null, address: call.address });
    refuseReadOnly(actor, "POST");
    const result = await operation.perform({ actor, call }, params, async () => shape(values));
    return { ok: true, result: result as Result };
  } catch (error) {
    const described = describeError(error);
    return { ok: false, state: stateOf(described, values), code: described.code };
  }
}

/** What the form shows after a failure. */
export function stateOf(error: AppError, values: Record<string, string>): FormState {
  const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !/password|token/i.test(name)));
  if (error instanceof InvalidInput) {
    return { ok: false, error: "Please check what you entered.", fieldErrors: error.fields, values: kept };
  }
  const fieldErrors = problemOfField(error, Object.keys(values));
  if (fieldErrors) return { ok: false, error: "Please check what you entered.", fieldErrors, values: kept };
  const signedOut = error.code === "UNAUTHENTICATED";
  const message = signedOut
    ? "You were signed out. Sign in again in another tab, then send this form once more."
    : error.message;
  const details = error.details === error.message || signedOut ? "" : ` ${error.details}`;
  return { ok: false, error: `${message}${details}`, fieldErrors: {}, values: kept };
}

/** The texts of a form; files and the framework's own fields are left out. */
export function valuesOf(form: FormData): Record<string, string> {
  const entries = [...form.entries()].filter(
    ([name, value]) => typeof value === "string" && !name.startsWith("$ACTION"),
  );
  // Browsers send line breaks as CRLF; what was typed has LF.
  return Object.fromEntries(
    entries.map(([name, value]) => [name, (value as string).replaceAll("\r\n", "\n")]),
  );
}
