import { getTranslator } from "#components/i18n/request-translator.ts";
import { handleMailboxFormPost } from "#components/mailbox/receive-form.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";
import { submitFormToOperation, type FormResult } from "#lib/http/form.ts";
import {
  confirmMailboxMessage,
  createMailboxFiles,
  createMailboxMessage,
  leaveMailbox,
  withdrawMailboxReport,
} from "#lib/conversations/operations.ts";

/**
 * Accepts the form of the mailbox, also without script: a message, files or both, the withdrawal of the report, or the
 * confirmation that a message was read.
 */
export const POST = (request: Request): Promise<Response> =>
  handleMailboxFormPost(request, {
    addFiles: createMailboxFiles,
    write,
    actions: {
      withdrawal: {
        at: "done=withdrawn",
        act: (form) => submitFormToOperation(withdrawMailboxReport, {}, form),
      },
      id: {
        at: "#messages",
        act: (form, messageId) =>
          submitFormToOperation(confirmMailboxMessage, {}, form, () => ({ messageId })),
      },
    },
    lock: (form) => submitFormToOperation(leaveMailbox, {}, form),
    describeText: async () => (await getTranslator("mailbox"))("message"),
    describeUnsure: async () => (await getTranslator("mailbox"))("messageUnsure"),
  });

async function write(form: FormData): Promise<FormResult<unknown>> {
  const sent = await submitFormToOperation(createMailboxMessage, {}, form, ({ body = "", appeal }) => ({
    body,
    appeal: appeal !== undefined,
  }));
  if (sent.ok) return sent;
  const t = await getTranslator("mailbox");
  return { ...sent, state: labelFieldErrors(sent.state, { body: t("message") }) };
}
