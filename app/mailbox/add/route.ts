import { describeFileRefusal } from "#components/mailbox/file-refusal.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitForm } from "#lib/http/form.ts";
import { createSeeOtherResponse, submitUploadForm } from "#lib/http/upload-form.ts";
import { createVisitor, saveVisitorForm } from "#lib/http/visitor-form.ts";
import { createMailboxFiles, createMailboxMessage } from "#lib/mailbox/operations.ts";
import { InvalidInputError, type AppError } from "#lib/operation/errors.ts";

/**
 * Takes the form of the mailbox, also without script: a message, files or both. It returns to the mailbox, which says how
 * it went and has the message again unless it was sent.
 */
export async function POST(request: Request): Promise<Response> {
  let values: Record<string, string> = {};
  const shape = (typed: Record<string, string>) => {
    values = typed;
    return {};
  };
  const files = await submitUploadForm(createMailboxFiles, request, { params: Promise.resolve({}), shape });
  if (!files.ok) ({ values } = files);
  const result = await sendRest(values, files.ok ? null : files.error);
  return redirectToMailbox(result, files.cookies);
}

type Result = { place: string; state: FormState | null };

/** Sends the message if it was to be sent, and the files of the same form, if any, were. */
async function sendRest(values: Record<string, string>, refusal: AppError | null): Promise<Result> {
  const { sends, body = "" } = values;
  const isMessage = sends === "message";
  const draft = body.trim() ? { ok: false, values: { body } } : null;
  if (isMessage && (refusal === null ? draft !== null : isWithoutFiles(refusal))) return sendMessage(values);
  if (refusal === null) return { place: "done=files#files", state: draft };
  // The page shows the message then, and says that it wasn't sent.
  if (draft && refusal.code === "UNAUTHENTICATED") return { place: "", state: draft };
  return { place: `${describeFileRefusal(refusal)}#files`, state: draft };
}

const isWithoutFiles = (error: AppError): boolean =>
  error instanceof InvalidInputError && "relatedFiles" in error.fields;

async function sendMessage({ body = "", messageTicket = "" }: Record<string, string>): Promise<Result> {
  const form = new FormData();
  form.set("body", body);
  form.set("ticket", messageTicket);
  const sent = await submitForm(createMailboxMessage, {}, form, (values) => ({ body: values.body ?? "" }));
  if (sent.ok) return { place: "done=message#messages", state: null };
  const t = await getTranslator("mailbox");
  return { place: "#messages", state: labelFieldErrors(sent.state, { body: t("message") }) };
}

async function redirectToMailbox(
  { place, state }: Result,
  cookies: Parameters<typeof createSeeOtherResponse>[1],
): Promise<Response> {
  if (!state) return createSeeOtherResponse(`/mailbox?${place}`, cookies);
  try {
    const returnKey = await saveVisitorForm(createVisitor(), state);
    return createSeeOtherResponse(
      `/mailbox?return=${returnKey}${place && !place.startsWith("#") ? "&" : ""}${place}`,
      cookies,
    );
  } catch {
    return await respondWithText(state.values?.body ?? "");
  }
}

/** If the message can't be stored for the redirect, returns it in the response so that it can be copied. */
async function respondWithText(body: string): Promise<Response> {
  const t = await getTranslator("mailbox");
  return new Response(`${t("messageUnsure")}\n\n\n${body}\n`, {
    status: 503,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "5" },
  });
}
