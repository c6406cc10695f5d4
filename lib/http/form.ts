import { refresh } from "next/cache";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { addActorToLogUnlessReporting, createLogContext, logDenial } from "#lib/operation/denials.ts";
import {
  toAppError,
  InvalidInputError,
  ERROR_STATUS,
  type AppError,
  type ErrorCode,
} from "#lib/operation/errors.ts";
import {
  saveRefusedFormOfUser,
  refuseFormOfOtherWriter,
  readFormTicketWriterId,
} from "#lib/http/form-drafts.ts";
import {
  isOtherMailboxError,
  OPENED_MAILBOX_TAG_FIELD,
  refuseFormOfOtherMailbox,
} from "#lib/http/opened-tag.ts";
import { isValidIdempotencyKey } from "#lib/idempotency/key.ts";
import { refuseCrossSiteRequest } from "#lib/http/cross-site-guard.ts";
import { refuseWriteByReadToken } from "#lib/http/identify.ts";
import type { Operation, PathParams } from "#lib/operation/operation.ts";
import { storeExpiredSessionFormValues } from "#lib/http/page-status.ts";
import { performOperation } from "#lib/http/perform.ts";
import { createCookieSetter } from "#lib/http/page-cookies.ts";
import {
  getCurrentLocale,
  getCurrentPathAndQuery,
  createPageCallContext,
  getCurrentActor,
} from "#lib/http/page.ts";
import { requiresUnidentifiedSender, type Actor } from "#lib/operation/policy.ts";
import { consumeCallLimit } from "#lib/rate-limits/rate-limits.ts";
import { isFieldName, type FormState } from "#lib/design/form-state.ts";
import { describeErrorByField } from "#lib/design/named-errors.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { createFieldProblem, formatFieldProblemInForm, type FieldProblem } from "#lib/i18n/error-text.ts";
import { describeProblem } from "#lib/i18n/problems.ts";

/** The form adapter: a server action submits a form to an operation, through the same checks as the API. */

export type FormResult<Result> =
  | { ok: true; result: Result }
  | {
      ok: false;
      state: FormState;
      code: ErrorCode;
      refusal: AppError;
      /** The form belongs to a mailbox other than the one that is now opened on this device. */
      otherOpened?: boolean;
    };

type FormMapper = (values: Record<string, string>) => unknown;

/**
 * Performs an operation with the values of a form. A form with a `ticket` (`sealWriterIdAsFormTicket`) is accepted
 * from its writer only.
 * @param shape converts the form's texts to the operation's input, where they differ
 * @param actorOfPage who acts, where the page has identified them without the session
 * @returns the operation's result, or the state that the form shows: each field's problem and all typed text, except
 * passwords
 */
export async function submitFormToOperation<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: PathParams,
  form: FormData,
  shape: FormMapper = (values) => values,
  actorOfPage?: Actor,
): Promise<FormResult<Result>> {
  const values = readFormValues(form);
  const call = await createPageCallContext();
  const logContext = createLogContext(operation, call.requestId);
  try {
    refuseCrossSiteRequest("POST", await headers());
    const actor = await findFormActor(operation, actorOfPage);
    addActorToLogUnlessReporting(logContext, operation, actor);
    refuseFormOfOtherWriter(actor, readFormTicketWriterId(values.ticket ?? null));
    await refuseFormOfOtherMailbox(operation, call, values[OPENED_MAILBOX_TAG_FIELD]);
    call.ifMatch = values.ifMatch ?? null;
    if (isSentOnce(operation, values) && isValidIdempotencyKey(values.ticket ?? ""))
      call.idempotencyKey = values.ticket ?? null;
    call.setCookie = createCookieSetter(await cookies());
    await consumeCallLimit(operation.limit, {
      userId: actor?.id ?? null,
      address: call.address,
      device: call.device,
      byPage: true,
    });
    refuseWriteByReadToken(actor, "POST");
    const readInput = async () => shape(values);
    const result = await performOperation(operation, { actor, call }, { params, readInput });
    return { ok: true, result: result as Result };
  } catch (error) {
    const appError = toAppError(error, logContext.requestId);
    logDenial(appError, logContext);
    const state = toFormState(appError, values, await getCurrentLocale());
    if (state.signedOut && requiresUnidentifiedSender(operation.can)) return refuseClosed(appError, state);
    if (state.signedOut) await redirectToSignInWithForm(state, values);
    return { ok: false, state, code: appError.code, refusal: appError };
  }
}

/** Returns whether the ticket is the form's idempotency key: where the verb knows it, or a form says it is sent once. */
const isSentOnce = ({ once }: Pick<Operation, "once">, { sendOnce }: Record<string, string>): boolean =>
  once === "verb" || (once === "response" && sendOnce === "true");

/** Finds who acts with a form: nobody if the sender must not be identified, else the page's or the session's actor. */
const findFormActor = async ({ can }: Pick<Operation, "can">, actorOfPage?: Actor): Promise<Actor | null> =>
  requiresUnidentifiedSender(can) ? null : (actorOfPage ?? (await getCurrentActor()));

/** Refuses a form whose mailbox is no longer open on this device. Signing in wouldn't help. */
async function refuseClosed(error: AppError, { values }: FormState): Promise<FormResult<never>> {
  const { title, advice } = describeProblem(await getCurrentLocale(), error);
  return {
    ok: false,
    state: { ok: false, values, error: `${title} ${advice}` },
    code: error.code,
    refusal: error,
    otherOpened: isOtherMailboxError(error),
  };
}

/**
 * Redirects to sign-in after the session has ended. Without script, the form is lost with its page: where a ticket
 * names the writer, its text is sealed for that account and put back after sign-in; without one, the response page
 * shows it.
 */
async function redirectToSignInWithForm(state: FormState, { ticket }: Record<string, string>): Promise<void> {
  const { locale = await getCurrentLocale(), values = {} } = state;
  const writer = ticket && !(await headers()).has("next-action") ? readFormTicketWriterId(ticket) : null;
  const error = createTranslatorForLocale(locale, "report")("signedOut");
  const draftId = writer
    ? await saveRefusedFormOfUser(writer, { ok: false, error, values, locale }).catch(() => null)
    : null;
  if (draftId)
    redirect(
      `/login?next=${encodeURIComponent(addReturnParameter(await getCurrentPathAndQuery(), draftId))}`,
    );
  storeExpiredSessionFormValues((await createPageCallContext()).requestId, values);
}

function addReturnParameter(path: string, id: string): string {
  const url = new URL(path, "http://here.invalid");
  url.searchParams.set("return", id);
  return `${url.pathname}${url.search}`;
}

/**
 * Reloads the page's data after a refusal, so that changes by others appear next to the form. Skipped for statuses
 * with which the page itself couldn't be shown: a sign-in page or an error would replace the form and everything in
 * it.
 */
export function refreshPageAfterFormRefusal(code: ErrorCode): void {
  if (!PAGE_BLOCKING_STATUSES.has(ERROR_STATUS[code])) refresh();
}

const PAGE_BLOCKING_STATUSES = new Set<number>([401, 403, 429, 500, 503, 507]);

/** Returns the state that the form shows after a failure, in the reader's language. */
function toFormState(error: AppError, values: Record<string, string>, locale: Locale): FormState {
  const t = createTranslatorForLocale(locale, "formErrors");
  const preservedValues = Object.fromEntries(
    Object.entries(values).filter(([name]) => !/password|token|^ticket$/i.test(name)),
  );
  const state = { ok: false, values: preservedValues, locale };
  const fieldErrors = findFieldErrors(error, values, locale);
  if (fieldErrors) return { ...state, error: t("check"), fieldErrors };
  if (error.code === "UNAUTHENTICATED")
    return { ...state, error: t("signedOut"), fieldErrors: {}, signedOut: true };
  const { title, advice } = describeProblem(locale, error);
  return { ...state, error: `${title} ${advice}`.trim(), fieldErrors: {} };
}

function findFieldErrors(
  error: AppError,
  values: Record<string, string>,
  locale: Locale,
): Record<string, string> | undefined {
  if (!(error instanceof InvalidInputError)) return describeErrorByField(error, Object.keys(values), locale);
  const problems = Object.entries(error.fields);
  const fields = Object.keys(values);
  const fieldPosition = (name: string) => (fields.includes(name) ? fields.indexOf(name) : fields.length);
  // A problem with one item of a list, such as `tags.1`, is shown at its field.
  const toField = (name: string) =>
    fields.includes(name) ? name : (fields.find((field) => name.startsWith(`${field}.`)) ?? name);
  // A form sends its fields in the order in which they appear on the page.
  problems.sort(([a], [b]) => fieldPosition(a) - fieldPosition(b));
  return Object.fromEntries(
    problems.map(([name, problem]) => [
      toField(name),
      formatFieldProblemInForm(locale, adjustProblem(values[name], problem)),
    ]),
  );
}

/** For a field left blank, "is missing" is more useful than the format that it should have. */
const adjustProblem = (value: string | undefined, problem: FieldProblem): FieldProblem =>
  value?.trim() === "" && problem.key.startsWith("must") ? createFieldProblem("missing") : problem;

/**
 * Returns the texts of a form, without files, the framework's own fields, and names that no form of ours has, which
 * a refused form would send back. Values of a name that ends in `[]` are joined under the name without it, as
 * `collectRestorableFormValues` does, so that a refused or interrupted form keeps all of them.
 */
export function readFormValues(form: FormData): Record<string, string> {
  const values = new Map<string, string>();
  for (const [key, value] of form) {
    if (typeof value !== "string" || !isFieldName(key)) continue;
    // Browsers send line breaks as CRLF; the person typed LF.
    const text = value.replaceAll("\r\n", "\n");
    const name = key.replace(/\[\]$/, "");
    values.set(name, name !== key && values.has(name) ? `${values.get(name)}\n${text}` : text);
  }
  return Object.fromEntries(values);
}
