import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { type FormState, INITIAL_FORM_STATE, isFormSubmissionRejected } from "#lib/design/form-state.ts";
import type { FormResult } from "#lib/http/form.ts";
import {
  isOtherMailboxError,
  OPENED_MAILBOX_TAG_FIELD,
  refuseFormOfOtherMailbox,
} from "#lib/http/opened-tag.ts";
import { createPageCallContext, getCurrentLocale } from "#lib/http/page.ts";
import {
  isSentByPageScript,
  createSeeOtherResponse,
  createFormStateJsonResponse,
  submitUploadFormToOperation,
} from "#lib/http/upload-form.ts";
import { createUnsentFormPageResponse } from "#lib/http/unsent-form.ts";
import { createRandomFormVisitorId, saveRefusedFormOfVisitor } from "#lib/http/visitor-form.ts";
import {
  InvalidInputError,
  toAppError,
  type AppError,
  serializeErrorTextKeyAndNumbers,
} from "#lib/operation/errors.ts";
import type { Operation } from "#lib/operation/operation.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { describeProblem } from "#lib/i18n/problems.ts";

type Values = Record<string, string>;

/** Value of the button that locks the mailbox of a page on which no script runs. */
const LOCK = "lock";

const PATH = "/mailbox";
/** Query string and fragment of the page that shows the sent text, alone and with files. */
const WRITTEN_AT = "done=message#messages";
const WRITTEN_WITH_FILES_AT = "done=messageAndFiles#messages";
/** Query string of the page to redirect to when no mailbox is open on this device. */
const CLOSED_AT = "done=left";

/** The operations of the form. */
type MailboxFormHandlers = {
  addFiles: Operation<never, void> | Operation<unknown, void>;
  /** Sends the text of the form; the form's `ticket` is its idempotency key. */
  write: (form: FormData) => Promise<FormResult<unknown>>;
  /**
   * Actions of buttons beside those that send, for forms without script, with the query string and fragment of the page
   * after each: one by the button's value, or `id` for a button whose value is an id.
   */
  actions: Record<string, { at: string; act: (form: FormData, id: string) => Promise<FormResult<unknown>> }>;
  /** Locks the mailbox on this device. */
  lock: (form: FormData) => Promise<FormResult<unknown>>;
  /** Returns the error for an unknown result: the person's text may have been sent. */
  describeUnsure: () => Promise<string>;
  /** Returns the label of the text. */
  describeText: () => Promise<string>;
};

const findAction = ({ actions }: MailboxFormHandlers, sends: string) =>
  actions[sends] ?? (UUID_PATTERN.test(sends) ? actions.id : undefined);

/**
 * Accepts the form of a mailbox: a text, files or both. Redirects to the page, which shows the result, and
 * the text again if it wasn't sent. A script gets the redirect's address as JSON, or the reason for a refusal.
 */
export async function handleMailboxFormPost(
  request: Request,
  target: MailboxFormHandlers,
): Promise<Response> {
  let values: Values = {};
  const shape = (typed: Values) => {
    values = typed;
    if (typed.sends === LOCK || findAction(target, typed.sends ?? "")) throw createNoFilesError();
    return {};
  };
  const files = await submitUploadFormToOperation(target.addFiles, request, {
    params: Promise.resolve({}),
    shape,
  });
  if (!files.ok) ({ values } = files);
  const result = await performButtonAction(
    values,
    files.ok ? null : await findRefusal(files.error, values, target),
    target,
  );
  const { cookies } = files;
  if (isSentByPageScript(request)) return respondToScript(result, { target, cookies });
  try {
    return createSeeOtherResponse(await saveTextAndBuildUrl(result), cookies);
  } catch (error) {
    return respondWithForm(request, { result, values, error: toAppError(error, null) }, target);
  }
}

/** The page that shows the result, and the text that wasn't sent, with the reason if it was refused. */
type Result = {
  place: string;
  state: FormState | null;
  /** Tag of the mailbox in which the text was written, the only one that shows it again. */
  tag?: string | undefined;
  /** The limit that refused the text or its files; a text that a limit refused isn't stored. */
  limit?: AppError | undefined;
};
type Cookies = Parameters<typeof createSeeOtherResponse>[1];

/** The error for files that were chosen when another button was pressed; they aren't saved. */
const createNoFilesError = (): InvalidInputError =>
  new InvalidInputError({ relatedFiles: createFieldProblem("missing") });

/**
 * Returns why the files weren't saved. Another mailbox that was opened in the meantime outweighs what is
 * wrong with the files.
 */
const findRefusal = async (
  error: AppError,
  values: Values,
  { addFiles }: MailboxFormHandlers,
): Promise<AppError> =>
  values[OPENED_MAILBOX_TAG_FIELD] === undefined
    ? error
    : refuseFormOfOtherMailbox(
        addFiles,
        await createPageCallContext(),
        values[OPENED_MAILBOX_TAG_FIELD],
      ).then(
        () => error,
        (other: unknown) => toAppError(other, null),
      );

/** Performs the button's action, after the files of the form, if any, were saved or refused. */
async function performButtonAction(
  values: Values,
  refusal: AppError | null,
  target: MailboxFormHandlers,
): Promise<Result> {
  // If the browser doesn't send the pressed button's name, the text is sent as a message.
  const { sends = "message" } = values;
  const draft = toUnsentState(values);
  if (refusal && isOtherMailboxError(refusal)) return { place: "done=other", state: draft };
  if (refusal?.code === "UNAUTHENTICATED")
    return draft
      ? { place: "", state: draft }
      : { place: sends === "files" ? buildFileRefusalQuery(refusal) : CLOSED_AT, state: null };
  if (sends === LOCK) return lock(values, draft, target);
  if (findAction(target, sends)) return act(values, draft, target);
  const isMessage = sends === "message";
  if (isMessage && (refusal === null ? draft !== null : isWithoutFiles(refusal)))
    return write(values, target, refusal === null ? WRITTEN_WITH_FILES_AT : WRITTEN_AT);
  const place = refusal === null ? "done=files" : buildFileRefusalQuery(refusal);
  return {
    place: `${place}#files`,
    state: draft,
    tag: values[OPENED_MAILBOX_TAG_FIELD],
    limit: findLimit(refusal),
  };
}

const findLimit = (refusal: AppError | null): AppError | undefined =>
  refusal?.code === "RATE_LIMITED" ? refusal : undefined;

/** Returns the text that isn't sent yet as the form's state; null without any text. */
function toUnsentState({ body = "", appeal }: Values): FormState | null {
  return body.trim() ? { ok: false, values: { body, ...(appeal && { appeal }) } } : null;
}

const isWithoutFiles = (error: AppError): boolean =>
  error instanceof InvalidInputError && "relatedFiles" in error.fields;

/** Locks unless a text would be lost; the page then asks, and shows the text again. */
async function lock(values: Values, draft: FormState | null, target: MailboxFormHandlers): Promise<Result> {
  if (draft) return { place: "done=unsent#leave", state: draft, tag: values[OPENED_MAILBOX_TAG_FIELD] };
  const sent = await target.lock(new FormData());
  return sent.ok ? { place: "done=left", state: null } : { place: "", state: sent.state };
}

async function act(values: Values, draft: FormState | null, target: MailboxFormHandlers): Promise<Result> {
  const { sends = "" } = values;
  const action = findAction(target, sends);
  if (!action) return { place: "", state: draft };
  const form = new FormData();
  form.set(OPENED_MAILBOX_TAG_FIELD, values[OPENED_MAILBOX_TAG_FIELD] ?? "");
  const sent = await action.act(form, sends);
  const tag = values[OPENED_MAILBOX_TAG_FIELD];
  if (sent.ok) return { place: action.at, state: draft, tag };
  return { place: "", state: { ...sent.state, values: draft?.values }, tag, limit: findLimit(sent.refusal) };
}

async function write(values: Values, target: MailboxFormHandlers, writtenAt: string): Promise<Result> {
  const { body = "", appeal, messageTicket = "", [OPENED_MAILBOX_TAG_FIELD]: tag = "" } = values;
  const form = new FormData();
  form.set(OPENED_MAILBOX_TAG_FIELD, tag);
  form.set("body", body);
  if (appeal) form.set("appeal", appeal);
  form.set("ticket", messageTicket);
  const sent = await target.write(form);
  if (sent.ok) return { place: writtenAt, state: null };
  const place = `#${writtenAt.split("#")[1]}`;
  return { place, state: sent.state, tag, limit: findLimit(sent.refusal) };
}

async function respondToScript(
  result: Result,
  { target, cookies }: { target: MailboxFormHandlers; cookies: Cookies },
): Promise<Response> {
  const { state } = result;
  if (state && isFormSubmissionRejected(state) && !state.signedOut)
    return createFormStateJsonResponse(422, state, cookies);
  try {
    return createFormStateJsonResponse(200, { location: await saveTextAndBuildUrl(result) }, cookies);
  } catch (thrown) {
    const error = await describeUnsent(toAppError(thrown, null), target);
    return createFormStateJsonResponse(503, { ok: false, error, values: state?.values }, cookies);
  }
}

/** Builds the page's URL, and saves the unsent text for the page. @throws if it isn't saved */
async function saveTextAndBuildUrl({ place, state, tag, limit }: Result): Promise<string> {
  // Otherwise a sender who is over a limit could have any number of texts stored.
  if (state && limit) throw limit;
  const returnKey =
    state && `return=${await saveRefusedFormOfVisitor(createRandomFormVisitorId(), state, tag)}`;
  const [query = "", section = ""] = place.split("#");
  const parameters = [returnKey, query].filter(Boolean).join("&");
  return `${PATH}${parameters && `?${parameters}`}${section && `#${section}`}`;
}

type Unsent = { result: Result; values: Values; error: AppError };

/** Responds with a form that holds the unsent text, for a text that couldn't be saved for the page. */
async function respondWithForm(
  request: Request,
  { result, values, error }: Unsent,
  target: MailboxFormHandlers,
): Promise<Response> {
  const { sends: _, ...texts } = values;
  const form = {
    locale: await getCurrentLocale(),
    state: result.state ?? INITIAL_FORM_STATE,
    problem: await describeUnsent(error, target),
    labels: { body: await target.describeText() },
    values: texts,
  };
  return createUnsentFormPageResponse(request, form, error);
}

/** Describes why a text wasn't sent, or that it may have been sent if the service failed (500 and above). */
async function describeUnsent(error: AppError, target: MailboxFormHandlers): Promise<string> {
  if (error.status >= 500) return target.describeUnsure();
  const { title, advice } = describeProblem(await getCurrentLocale(), error);
  return `${title} ${advice}`;
}

/**
 * Builds the query string that tells the page of a mailbox why files weren't added, and which file was
 * refused.
 */
function buildFileRefusalQuery(error: AppError): string {
  const number = /; number=(\d+)/.exec(serializeErrorTextKeyAndNumbers(error))?.[1];
  return `done=${chooseResult(error)}${number ? `&file=${number}` : ""}`;
}

function chooseResult({ code }: AppError): string {
  if (code === "UNAUTHENTICATED") return "expired";
  if (code === "VALIDATION_ERROR") return "filesNone";
  if (code === "UNSUPPORTED_FILE_TYPE") return "filesType";
  return code === "PAYLOAD_TOO_LARGE" || code === "QUOTA_EXCEEDED" ? "filesSize" : "filesLater";
}
