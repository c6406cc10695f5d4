import { getTranslator } from "#components/i18n/request-translator.ts";
import { handleMailboxOrLetterboxFormPost } from "#components/mailbox/receive-form.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitFormToOperation, type FormResult } from "#lib/http/form.ts";
import {
  createMailboxFiles,
  createMailboxMessage,
  leaveMailbox,
  withdrawMailboxReport,
} from "#lib/mailbox/operations.ts";

/** Accepts the form of the mailbox, also without script: a message, files or both, or the withdrawal of the report. */
export const POST = (request: Request): Promise<Response> =>
  handleMailboxOrLetterboxFormPost(request, {
    path: "/mailbox",
    addFiles: createMailboxFiles,
    write,
    writtenAt: "done=message#messages",
    writtenWithFilesAt: "done=messageAndFiles#messages",
    isAction: (sends) => sends === "withdrawal",
    act: (_, form) => submitFormToOperation(withdrawMailboxReport, {}, form),
    actedAt: "done=withdrawn",
    lock: (form) => submitFormToOperation(leaveMailbox, {}, form),
    closedAt: "done=left",
    describeText: async () => (await getTranslator("mailbox"))("message"),
    describeUnsure: async () => (await getTranslator("mailbox"))("messageUnsure"),
  });

async function write(form: FormData): Promise<FormResult<unknown>> {
  const sent = await submitFormToOperation(createMailboxMessage, {}, form, ({ body = "" }) => ({ body }));
  if (sent.ok) return sent;
  const t = await getTranslator("mailbox");
  return { ...sent, state: labelFieldErrors(sent.state, { body: t("message") }) };
}
