import { getTranslator } from "#components/i18n/request-translator.ts";
import { handleMailboxOrLetterboxFormPost } from "#components/mailbox/receive-form.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitFormToOperation, type FormResult } from "#lib/http/form.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import {
  confirmLetter,
  createLetterboxFiles,
  createReply,
  leaveLetterbox,
} from "#lib/letterboxes/operations.ts";

/**
 * Accepts the form of the letterbox, also without script: a letter, files or both, or the confirmation that a letter
 * was read.
 */
export const POST = (request: Request): Promise<Response> =>
  handleMailboxOrLetterboxFormPost(request, {
    path: "/letterbox",
    addFiles: createLetterboxFiles,
    write,
    writtenAt: "done=letter#letters",
    writtenWithFilesAt: "done=letterAndFiles#letters",
    isAction: (sends) => UUID_PATTERN.test(sends),
    act: (letterId, form) => submitFormToOperation(confirmLetter, {}, form, () => ({ letterId })),
    actedAt: "#letters",
    lock: (form) => submitFormToOperation(leaveLetterbox, {}, form),
    closedAt: "done=expired",
    describeText: async () => (await getTranslator("letterbox"))("body"),
    describeUnsure: async () => (await getTranslator("letterbox"))("letterUnsure"),
  });

async function write(form: FormData): Promise<FormResult<unknown>> {
  const sent = await submitFormToOperation(createReply, {}, form, ({ body = "", appeal }) => ({
    body,
    appeal: appeal !== undefined,
  }));
  if (sent.ok) return sent;
  const t = await getTranslator("letterbox");
  return { ...sent, state: labelFieldErrors(sent.state, { body: t("body") }) };
}
