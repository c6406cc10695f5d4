import { randomUUID } from "node:crypto";
import { useTranslator } from "#i18n";
import { closeMailboxAction, leaveMailboxAction, withdrawMailboxReportAction } from "./actions.ts";
import { renderIncidentTime } from "#components/incident/incident-time.tsx";
import { ReporterRetentionNotice } from "#components/incident/retention-text.tsx";
import { MailboxOrLetterboxFilesSection } from "#components/mailbox/files-section.tsx";
import type { FileUploadResult } from "#components/mailbox/result-notice.tsx";
import { MailboxOrLetterboxLockControl } from "#components/mailbox/lock-control.tsx";
import { ScriptOrFallback } from "#components/mailbox/script-switch.tsx";
import { MailboxOrLetterboxSection } from "#components/mailbox/mailbox-section.tsx";
import { MailboxOrLetterboxMessageForm } from "#components/mailbox/send-form.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { UserText } from "#components/ui/user-text.tsx";
import { MAX_COMMENT_LENGTH } from "#lib/comments/schema.ts";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { circleCheckIcon } from "#lib/design/icons.ts";
import { createUploadFormUrlToken } from "#lib/http/form-drafts.ts";
import { parseIncidentKind } from "#lib/incidents/kinds.ts";
import { isReopenableState } from "#lib/incidents/lifecycle.ts";
import type { Mailbox } from "#lib/mailbox/schema.ts";

export type SerializedMailbox = import("zod").output<typeof Mailbox>;
type Props = { mailbox: SerializedMailbox };
type TimedProps = Props & { now: Date };

/** The tag of the mailbox, for its forms (lib/http/opened-tag.ts). */
type TagProps = { opened: string };

type ReturnedProps = TagProps & {
  files: FileUploadResult;
  /** A message that wasn't sent, or that waits until the files are sent. */
  returned: FormState | null;
};

/** Id of the one form for message and files: with a form each, sending files would discard a typed message. */
const SEND_FORM_ID = "mailbox-send";

/** The report as its sender sees it: status, messages and files, and the forms that lock, withdraw or close it. */
export function MailboxView({ mailbox, now, files, returned, opened }: TimedProps & ReturnedProps) {
  const t = useTranslator("mailbox");
  return (
    <>
      <header className="grid max-w-[60ch] gap-2">
        <p className="text-muted">
          <bdi>{mailbox.event.name}</bdi>
        </p>
        <h1 className="text-2xl sm:text-3xl">{t("title")}</h1>
      </header>
      <StatusSection mailbox={mailbox} now={now} />
      <MessagesSection mailbox={mailbox} returned={returned} opened={opened} done={files.done} />
      <MailboxOrLetterboxFilesSection
        title={t("files")}
        empty={t("noFiles")}
        files={mailbox.files.map(({ id, filename, from }) => ({
          id,
          filename,
          note: t(from === "you" ? "fileFromYou" : "fileFromTeam"),
        }))}
        path="/mailbox"
        result={files}
        form={SEND_FORM_ID}
      />
      <ReportSection mailbox={mailbox} />
      <LeavingSection mailbox={mailbox} opened={opened} isConfirming={files.done === "unsent"} />
    </>
  );
}

function StatusSection({ mailbox, now }: TimedProps) {
  const t = useTranslator("mailbox");
  const formatDay = useDayFormatter();
  const { state, outcome, readBy, lastReadOn, openedInEmergencyOn, withdrawnOn, retention } = mailbox;
  const status = describeStatus(mailbox);
  return (
    <section className="grid max-w-[68ch] gap-3" aria-label={t("status")}>
      {withdrawnOn ? (
        <>
          <p className="text-lg font-[550]">{t("withdrawnTitle", { day: formatDay(withdrawnOn) })}</p>
          <p>{t("withdrawnText")}</p>
          <p className="text-muted">{status}</p>
        </>
      ) : (
        <p className="text-lg font-[550]">{status}</p>
      )}
      <p className="text-muted">
        {lastReadOn ? t("readBy", { count: readBy, day: formatDay(lastReadOn) }) : t("readByNobody")}
      </p>
      {openedInEmergencyOn && <p>{t("openedInEmergency", { day: formatDay(openedInEmergencyOn) })}</p>}
      <ReporterRetentionNotice retention={retention} now={now} />
      <HiddenFrom {...mailbox} />
      {outcome && <OutcomeBox outcome={outcome} isCurrent={isReopenableState(state)} />}
    </section>
  );
}

/** The outcome that the team told; marked as the earlier one while the report is open. */
function OutcomeBox({ outcome, isCurrent }: { outcome: string; isCurrent: boolean }) {
  const t = useTranslator("mailbox");
  return (
    <div className={`grid gap-2 rounded-surface p-4 ${isCurrent ? "bg-positive-soft" : "bg-sunken"}`}>
      <h2 className="flex items-center gap-2 text-lg">
        {isCurrent && <IconWithoutScript of={circleCheckIcon} className="text-positive" />}
        {t(isCurrent ? "outcome" : "outcomeEarlier")}
      </h2>
      <UserText>{outcome}</UserText>
    </div>
  );
}

/** Describes the status; of a submitted report also that the team has written, if the shown page has a message of it. */
function describeStatus({ state, messages }: SerializedMailbox): string {
  const t = useTranslator("mailbox");
  const tIncident = useTranslator("incident");
  return state === "submitted" && messages.some(({ from }) => from === "team")
    ? tIncident("now.submittedAndWritten")
    : t(`state.${state}`);
}

/** Names the people who can't read the report, and the person who reads it if nobody on the team can. */
function HiddenFrom({
  hiddenFrom,
  hiddenByName,
  referredTo,
  hasReader,
}: Pick<SerializedMailbox, "hiddenFrom" | "hiddenByName" | "referredTo" | "hasReader">) {
  const t = useTranslator("mailbox");
  if (hiddenFrom.length === 0 && !hiddenByName) return null;
  const incident = useTranslator("incident");
  const showsNames = hiddenFrom.some(({ name }) => name !== null);
  return (
    <div className="grid gap-1">
      <h2 className="font-[550]">{t("hiddenFrom")}</h2>
      {hiddenByName ? (
        <p>{t("hiddenByName")}</p>
      ) : showsNames ? (
        <ul className="list-disc ps-5">
          {hiddenFrom.map(({ name }, at) => (
            <li key={at} className="wrap-anywhere">
              <bdi>{name ?? incident("gone")}</bdi>
            </li>
          ))}
        </ul>
      ) : (
        <p>{t("hiddenFromSomebody", { count: hiddenFrom.length })}</p>
      )}
      {referredTo && <p>{t("referredTo", { name: isolateBidi(referredTo.name) })}</p>}
      {!hasReader && (
        <Notice kind="warning" title={t("noReader")}>
          <p>{t("noReaderAbout")}</p>
        </Notice>
      )}
    </div>
  );
}

type MessagesProps = Props & Pick<ReturnedProps, "returned" | "opened"> & Pick<FileUploadResult, "done">;

function MessagesSection({ mailbox, returned, opened, done }: MessagesProps) {
  const t = useTranslator("mailbox");
  const { messages, pagination } = mailbox;
  return (
    <MailboxOrLetterboxSection id="messages" title={t("messages")}>
      {(done === "message" || done === "messageAndFiles") && (
        <Notice kind="success" live>
          <p>{t(`done.${done}`)}</p>
        </Notice>
      )}
      {messages.length === 0 && <p className="text-muted">{t("noMessages")}</p>}
      <PaginationNav path="/mailbox" query={{}} page={pagination.page} pages={pagination.totalPages} />
      <ol className="grid max-w-[68ch] gap-3">
        {messages.map((message) => (
          <MessageItem key={message.id} message={message} />
        ))}
      </ol>
      <MessageForm returned={returned} opened={opened} />
    </MailboxOrLetterboxSection>
  );
}

/** Posts to a route instead of a server action, because files may come along. */
function MessageForm({ returned, opened }: Pick<ReturnedProps, "returned" | "opened">) {
  const t = useTranslator("mailbox");
  return (
    <div className="max-w-[68ch]">
      <MailboxOrLetterboxMessageForm
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
          hint={t("messageHint")}
          rows={5}
          maxLength={MAX_COMMENT_LENGTH}
          count
          required
        />
        <FormActions>
          <SubmitButton name="sends" value="message">
            {t("send")}
          </SubmitButton>
        </FormActions>
      </MailboxOrLetterboxMessageForm>
    </div>
  );
}

function MessageItem({ message }: { message: SerializedMailbox["messages"][number] }) {
  const t = useTranslator("mailbox");
  const formatDay = useDayFormatter();
  const { from, name, body, createdAt } = message;
  const sender = from === "you" ? t("you") : name ? t("teamNamed", { name: isolateBidi(name) }) : t("team");
  return (
    <li
      className={`grid max-w-[68ch] gap-1 rounded-surface border border-line p-4 ${from === "you" ? "bg-surface sm:ms-8" : "bg-sunken sm:me-8"}`}
    >
      <p className="flex flex-wrap justify-between gap-x-3 text-sm text-muted">
        <span className="font-[550]">{sender}</span>
        <span>{formatDay(createdAt)}</span>
      </p>
      <UserText>{body}</UserText>
    </li>
  );
}

function ReportSection({ mailbox: { report } }: Props) {
  const t = useTranslator("mailbox");
  const form = useTranslator("reportForm");
  const incident = useTranslator("incident");
  const kind = parseIncidentKind(report.type);
  const when = renderIncidentTime(report);
  const facts = [
    [form("field.title"), report.title],
    [form("field.description"), report.description],
    [form("field.type"), kind ? incident(`kind.${kind}`) : report.type],
    [form("field.severity"), report.severity && form(`severity.${report.severity}`)],
    [form("field.location"), report.location],
    [form("field.parties"), report.parties],
  ] as const;
  return (
    <MailboxOrLetterboxSection id="report" title={t("yourReport")}>
      <DefinitionList
        items={[
          ...facts.flatMap(([term, value]) =>
            value ? [{ term, value: <UserText as="span">{value}</UserText> }] : [],
          ),
          ...(when ? [{ term: form("field.incidentDay"), value: when }] : []),
        ]}
      />
    </MailboxOrLetterboxSection>
  );
}

function LeavingSection({ mailbox, opened, isConfirming }: Props & TagProps & { isConfirming: boolean }) {
  const t = useTranslator("mailbox");
  return (
    <MailboxOrLetterboxSection id="leave" title={t("leaveTitle")}>
      <p className="max-w-[60ch] text-muted">{t("leaveText")}</p>
      <div className="flex flex-wrap items-start gap-3">
        <MailboxOrLetterboxLockControl
          action={leaveMailboxAction}
          label={t("leave")}
          sendForm={SEND_FORM_ID}
          question={{
            title: t("unsent.title"),
            text: t("unsent.text"),
            confirm: t("unsent.lock"),
            keep: t("unsent.keep"),
          }}
          isConfirming={isConfirming}
        />
        {mailbox.withdrawnOn === null && <WithdrawalForm opened={opened} />}
        <ClosingForm opened={opened} />
      </div>
      <p>
        <a href={`/e/${mailbox.event.slug}`} className={buildButtonClass("quiet", "-ms-3")}>
          {t("backToEvent")}
        </a>
      </p>
    </MailboxOrLetterboxSection>
  );
}

function ClosingForm({ opened }: TagProps) {
  const t = useTranslator("mailbox");
  const dialog = { trigger: t("close"), title: t("closeTitle") };
  return (
    <Form action={closeMailboxAction} hidden={{ opened }} dialog={dialog}>
      <p>{t("closeText")}</p>
      <FormActions>
        <SubmitButton variant="danger">{t("closeConfirm")}</SubmitButton>
        <DismissDialogButton>{t("closeKeep")}</DismissDialogButton>
      </FormActions>
    </Form>
  );
}

function WithdrawalForm({ opened }: TagProps) {
  const t = useTranslator("mailbox");
  const dialog = { trigger: t("withdraw"), title: t("withdrawTitle") };
  return (
    <ScriptOrFallback
      withScript={
        <Form action={withdrawMailboxReportAction} hidden={{ opened }} dialog={dialog}>
          <p>{t("withdrawText")}</p>
          <FormActions>
            <SubmitButton variant="danger">{t("withdrawConfirm")}</SubmitButton>
            <DismissDialogButton>{t("withdrawKeep")}</DismissDialogButton>
          </FormActions>
        </Form>
      }
      withoutScript={
        <Dialog {...dialog}>
          <p>{t("withdrawText")}</p>
          <FormActions>
            <button
              type="submit"
              form={SEND_FORM_ID}
              name="sends"
              value="withdrawal"
              className={buildButtonClass("danger")}
            >
              {t("withdrawConfirm")}
            </button>
          </FormActions>
        </Dialog>
      }
    />
  );
}
