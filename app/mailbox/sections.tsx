import { randomUUID } from "node:crypto";
import { useTranslator } from "#i18n";
import { confirmMessageReadAction, leaveMailboxAction } from "./actions.ts";
import type { SerializedMailbox } from "./mailbox-view.tsx";
import { DecisionDetails } from "#components/mailbox/decision-details.tsx";
import { MailboxFilesSection } from "#components/mailbox/files-section.tsx";
import { MailboxLockControl } from "#components/mailbox/lock-control.tsx";
import { MailboxSection } from "#components/mailbox/mailbox-section.tsx";
import type { FileUploadResult } from "#components/mailbox/result-notice.tsx";
import { ScriptOrFallback } from "#components/mailbox/script-switch.tsx";
import { MailboxMessageForm } from "#components/mailbox/send-form.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { Checkbox, TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { UserText } from "#components/ui/user-text.tsx";
import { MAX_COMMENT_LENGTH } from "#lib/conversations/comment-schema.ts";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { createUploadFormUrlToken } from "#lib/http/form-drafts.ts";

/** What every opened conversation has, whoever opened it: its messages, its files, and the lock of this device. */

type Props = { mailbox: SerializedMailbox };
type Message = SerializedMailbox["messages"][number];

export type SendingProps = {
  /** The tag of the mailbox, for its forms (lib/http/opened-tag.ts). */
  opened: string;
  files: FileUploadResult;
  /** A message that wasn't sent, or that waits until the files are sent. */
  returned: FormState | null;
};

/** Id of the one form for message and files: with a form each, sending files would discard a typed message. */
export const SEND_FORM_ID = "mailbox-send";

export function MessagesSection({ mailbox, returned, opened, files: { done } }: Props & SendingProps) {
  const t = useTranslator("mailbox");
  const { messages, pagination } = mailbox;
  return (
    <MailboxSection id="messages" title={t("messages")}>
      {(done === "message" || done === "messageAndFiles") && (
        <Notice kind="success" live>
          <p>{t(`done.${done}`)}</p>
        </Notice>
      )}
      {/* Enter in a field presses the first button of the form, which could be one that confirms a message. */}
      <button type="submit" form={SEND_FORM_ID} name="sends" value="message" hidden>
        {t("send")}
      </button>
      {messages.length === 0 && <p className="text-muted">{t("noMessages")}</p>}
      <PaginationNav path="/mailbox" query={{}} page={pagination.page} pages={pagination.totalPages} />
      <ol className="grid max-w-[68ch] gap-3">
        {messages.map((message) => (
          <li
            key={message.id}
            className={`grid max-w-[68ch] gap-2 rounded-surface border border-line p-4 ${message.from === "you" ? "bg-surface sm:ms-8" : "bg-sunken sm:me-8"}`}
          >
            <MessageContent message={message} />
            {mailbox.party !== "reporter" && message.from === "team" && (
              <ReadingConfirmation message={message} opened={opened} />
            )}
          </li>
        ))}
      </ol>
      <MessageForm mailbox={mailbox} returned={returned} opened={opened} />
    </MailboxSection>
  );
}

function MessageContent({ message }: { message: Message }) {
  const formatDay = useDayFormatter();
  return (
    <>
      <p className="flex flex-wrap justify-between gap-x-3 text-sm text-muted">
        <span className="font-[550]">{describeSender(message)}</span>
        <span>{formatDay(message.createdAt)}</span>
      </p>
      {message.decision ? (
        <DecisionDetails decision={message.decision} />
      ) : (
        <UserText>{message.body}</UserText>
      )}
    </>
  );
}

function describeSender({ from, name, kind }: Message): string {
  const t = useTranslator("mailbox");
  const other = useTranslator("otherMailbox");
  if (kind === "appeal") return other("yourAppeal");
  if (kind === "decision") return other("decision");
  return from === "you" ? t("you") : name ? t("teamNamed", { name: isolateBidi(name) }) : t("team");
}

function ReadingConfirmation({ message: { id, readOn }, opened }: { message: Message; opened: string }) {
  const t = useTranslator("otherMailbox");
  const formatDay = useDayFormatter();
  if (readOn !== null)
    return <p className="text-sm text-muted">{t("confirmed", { day: formatDay(readOn) })}</p>;
  return (
    <ScriptOrFallback
      withScript={
        <Form action={confirmMessageReadAction} hidden={{ messageId: id, opened }} label={t("confirm")}>
          <FormActions>
            <SubmitButton variant="secondary">{t("confirm")}</SubmitButton>
          </FormActions>
        </Form>
      }
      withoutScript={
        <FormActions>
          <button type="submit" form={SEND_FORM_ID} name="sends" value={id} className={buildButtonClass()}>
            {t("confirm")}
          </button>
        </FormActions>
      }
    />
  );
}

/** Posts to a route instead of a server action, because files may come along. */
function MessageForm({ mailbox, returned, opened }: Props & Omit<SendingProps, "files">) {
  const t = useTranslator("mailbox");
  const other = useTranslator("otherMailbox");
  const mayAppeal = mailbox.party !== "reporter" && mailbox.measures.length > 0;
  return (
    <div className="max-w-[68ch]">
      <MailboxMessageForm
        id={SEND_FORM_ID}
        action={`/mailbox/add?upload=${createUploadFormUrlToken()}`}
        label={t("messages")}
        opened={opened}
        hidden={{ ticket: randomUUID(), messageTicket: randomUUID() }}
        returned={returned}
      >
        <TextArea
          name="body"
          label={t("message")}
          {...(mailbox.party === "reporter" && { hint: t("messageHint") })}
          rows={5}
          maxLength={MAX_COMMENT_LENGTH}
          count
          required
        />
        {mayAppeal && <Checkbox name="appeal" label={other("isAppeal")} />}
        <FormActions>
          <SubmitButton name="sends" value="message">
            {t("send")}
          </SubmitButton>
        </FormActions>
      </MailboxMessageForm>
    </div>
  );
}

export function FilesSection({ mailbox, files }: Props & SendingProps) {
  const t = useTranslator("mailbox");
  return (
    <MailboxFilesSection
      title={t("files")}
      empty={t("noFiles")}
      files={mailbox.files.map(({ id, filename, from }) => ({
        id,
        filename,
        note: t(from === "you" ? "fileFromYou" : "fileFromTeam"),
      }))}
      result={files}
      form={SEND_FORM_ID}
    />
  );
}

/** Locks the mailbox on this device, and asks before an unsent text is lost. */
export function LockControl({ files }: Pick<SendingProps, "files">) {
  const t = useTranslator("mailbox");
  return (
    <MailboxLockControl
      action={leaveMailboxAction}
      label={t("leave")}
      sendForm={SEND_FORM_ID}
      question={{
        title: t("unsent.title"),
        text: t("unsent.text"),
        confirm: t("unsent.lock"),
        keep: t("unsent.keep"),
      }}
      isConfirming={files.done === "unsent"}
    />
  );
}
