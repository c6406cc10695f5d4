import { randomUUID } from "node:crypto";
import { useTranslator } from "#i18n";
import { confirmLetterReadAction, leaveLetterboxAction } from "./actions.ts";
import { DecisionLetterDetails } from "#components/letterbox/decision-text.tsx";
import { MailboxOrLetterboxFilesSection } from "#components/mailbox/files-section.tsx";
import type { FileUploadResult } from "#components/mailbox/result-notice.tsx";
import { MailboxOrLetterboxLockControl } from "#components/mailbox/lock-control.tsx";
import { ScriptOrFallback } from "#components/mailbox/script-switch.tsx";
import { MailboxOrLetterboxSection } from "#components/mailbox/mailbox-section.tsx";
import { MailboxOrLetterboxMessageForm } from "#components/mailbox/send-form.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { Checkbox, TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { UserText } from "#components/ui/user-text.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import { MAX_COMMENT_LENGTH } from "#lib/comments/schema.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { createUploadFormUrlToken } from "#lib/http/form-drafts.ts";
import type { OpenedLetterbox } from "#lib/letterboxes/schema.ts";

type OpenedLetterboxData = import("zod").output<typeof OpenedLetterbox>;
type Letter = OpenedLetterboxData["letters"][number];
type Props = { letterbox: OpenedLetterboxData };
type ReturnedProps = {
  /** The tag of the letterbox, for its forms (lib/http/opened-tag.ts). */
  opened: string;
  files: FileUploadResult;
  /** A letter that wasn't sent, or that waits until the files are sent. */
  returned: FormState | null;
};

/** Id of the one form for letter and files: with a form each, sending files would discard a typed letter. */
const SEND_FORM_ID = "letterbox-send";

/** An opened letterbox: the letters, measures and files of one reported person or witness. */
export function LetterboxView({ letterbox, files, returned, opened }: Props & ReturnedProps) {
  const t = useTranslator("letterbox");
  return (
    <>
      <header className="grid max-w-[60ch] gap-2">
        <h1 className="text-2xl sm:text-3xl">{t("title")}</h1>
        <p>{t("lead", { event: isolateBidi(letterbox.event.name) })}</p>
      </header>
      <MeasuresSection letterbox={letterbox} />
      <LettersSection letterbox={letterbox} returned={returned} opened={opened} done={files.done} />
      <MailboxOrLetterboxFilesSection
        title={t("files")}
        empty={t("noFiles")}
        files={letterbox.files}
        path="/letterbox"
        result={files}
        form={SEND_FORM_ID}
      />
      <LeavingSection isConfirming={files.done === "unsent"} />
    </>
  );
}

function MeasuresSection({ letterbox: { measures } }: Props) {
  const t = useTranslator("letterbox");
  const formatDay = useDayFormatter();
  if (measures.length === 0) return null;
  return (
    <MailboxOrLetterboxSection id="measures" title={t("measures")}>
      <ul className="grid gap-3">
        {measures.map(({ letterId, measure, endsOn, hasEnded }) => (
          <li key={letterId} className="grid max-w-[68ch] gap-1">
            <UserText>{measure}</UserText>
            <p className="text-sm text-muted">
              {endsOn ? t(hasEnded ? "endedOn" : "endsOn", { day: formatDay(endsOn) }) : t("noEnd")}
            </p>
          </li>
        ))}
      </ul>
    </MailboxOrLetterboxSection>
  );
}

type LettersProps = Props & Pick<ReturnedProps, "returned" | "opened"> & Pick<FileUploadResult, "done">;

function LettersSection({ letterbox, returned, opened, done }: LettersProps) {
  const t = useTranslator("letterbox");
  const { letters, pagination, measures } = letterbox;
  return (
    <MailboxOrLetterboxSection id="letters" title={t("letters")}>
      {(done === "letter" || done === "letterAndFiles") && (
        <Notice kind="success" live>
          <p>{t(`done.${done}`)}</p>
        </Notice>
      )}
      {/* Enter in a field presses the first button of the form, which would be one that confirms a letter. */}
      <button type="submit" form={SEND_FORM_ID} name="sends" value="message" hidden>
        {t("send")}
      </button>
      {letters.length === 0 && <p className="text-muted">{t("noLetters")}</p>}
      <ol className="grid max-w-[68ch] gap-3">
        {letters.map((letter) => (
          <LetterItem key={letter.id} letter={letter} opened={opened} />
        ))}
      </ol>
      <PaginationNav path="/letterbox" query={{}} page={pagination.page} pages={pagination.totalPages} />
      <LetterForm returned={returned} opened={opened} mayAppeal={measures.length > 0} />
    </MailboxOrLetterboxSection>
  );
}

/** Posts to a route instead of a server action, because files may come along. */
function LetterForm({
  returned,
  opened,
  mayAppeal,
}: Omit<LettersProps, "letterbox" | "done"> & { mayAppeal: boolean }) {
  const t = useTranslator("letterbox");
  return (
    <div className="max-w-[68ch] pt-4">
      <MailboxOrLetterboxMessageForm
        id={SEND_FORM_ID}
        action={`/letterbox/add?upload=${createUploadFormUrlToken()}`}
        label={t("write")}
        opened={opened}
        hidden={{ ticket: randomUUID(), messageTicket: randomUUID() }}
        returned={returned}
      >
        <h3 className="text-lg">{t("write")}</h3>
        <TextArea name="body" label={t("body")} rows={5} maxLength={MAX_COMMENT_LENGTH} count required />
        {mayAppeal && <Checkbox name="appeal" label={t("isAppeal")} />}
        <FormActions>
          <SubmitButton name="sends" value="message" pendingLabel={t("sending")}>
            {t("send")}
          </SubmitButton>
        </FormActions>
      </MailboxOrLetterboxMessageForm>
    </div>
  );
}

type LetterProps = Pick<ReturnedProps, "opened"> & { letter: Letter };

function LetterItem({ letter, opened }: LetterProps) {
  const t = useTranslator("letterbox");
  const formatDay = useDayFormatter();
  const isOwn = letter.from === "you";
  return (
    <li
      className={`grid max-w-[68ch] gap-2 rounded-surface border border-line p-4 ${isOwn ? "bg-surface sm:ms-8" : "bg-sunken sm:me-8"}`}
    >
      <p className="flex flex-wrap justify-between gap-x-3 text-sm text-muted">
        <span className="font-[550]">
          {letter.appeal ? t("yourAppeal") : t(isOwn ? "you" : letter.decision ? "decision" : "team")}
        </span>
        <span>{formatDay(letter.sentOn)}</span>
      </p>
      {letter.decision ? (
        <DecisionLetterDetails decision={letter.decision} />
      ) : (
        <UserText>{letter.body}</UserText>
      )}
      {!isOwn && <ReadingConfirmation letter={letter} opened={opened} />}
    </li>
  );
}

function ReadingConfirmation({ letter: { id, readOn }, opened }: LetterProps) {
  const t = useTranslator("letterbox");
  const formatDay = useDayFormatter();
  if (readOn !== null)
    return <p className="text-sm text-muted">{t("confirmed", { day: formatDay(readOn) })}</p>;
  return (
    <ScriptOrFallback
      withScript={
        <Form action={confirmLetterReadAction} hidden={{ letterId: id, opened }} label={t("confirm")}>
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

function LeavingSection({ isConfirming }: { isConfirming: boolean }) {
  const t = useTranslator("letterbox");
  return (
    <MailboxOrLetterboxSection id="leave" title={t("leaveTitle")}>
      <p className="max-w-[60ch] text-muted">{t("leaveText")}</p>
      <div>
        <MailboxOrLetterboxLockControl
          action={leaveLetterboxAction}
          label={t("leave")}
          sendForm={SEND_FORM_ID}
          question={{
            title: t("unsent.title"),
            text: t("unsent.text"),
            confirm: t("unsent.leave"),
            keep: t("unsent.keep"),
          }}
          isConfirming={isConfirming}
        />
      </div>
    </MailboxOrLetterboxSection>
  );
}
