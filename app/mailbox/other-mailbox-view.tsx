import { useTranslator } from "#i18n";
import type { SerializedMailbox } from "./mailbox-view.tsx";
import { FilesSection, LockControl, MessagesSection, type SendingProps } from "./sections.tsx";
import { MailboxSection } from "#components/mailbox/mailbox-section.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { UserText } from "#components/ui/user-text.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";

type Props = { mailbox: Exclude<SerializedMailbox, { party: "reporter" }> };

/** The conversation of a reported person or a witness: their messages, the measures that affect them, and their files. */
export function OtherMailboxView({ mailbox, ...sending }: Props & SendingProps) {
  const t = useTranslator("otherMailbox");
  return (
    <>
      <header className="grid max-w-[60ch] gap-2">
        <h1 className="text-2xl sm:text-3xl">{t("title")}</h1>
        <p>{t("lead", { event: isolateBidi(mailbox.event.name) })}</p>
      </header>
      <MeasuresSection mailbox={mailbox} />
      <MessagesSection mailbox={mailbox} {...sending} />
      <FilesSection mailbox={mailbox} {...sending} />
      <MailboxSection id="leave" title={t("leaveTitle")}>
        <p className="max-w-[60ch] text-muted">{t("leaveText")}</p>
        <div>
          <LockControl files={sending.files} />
        </div>
      </MailboxSection>
    </>
  );
}

function MeasuresSection({ mailbox: { measures } }: Props) {
  const t = useTranslator("otherMailbox");
  const formatDay = useDayFormatter();
  if (measures.length === 0) return null;
  return (
    <MailboxSection id="measures" title={t("measures")}>
      <ul className="grid gap-3">
        {measures.map(({ messageId, measure, endsOn, hasEnded }) => (
          <li key={messageId} className="grid max-w-[68ch] gap-1">
            <UserText>{measure}</UserText>
            <p className="text-sm text-muted">
              {endsOn ? t(hasEnded ? "endedOn" : "endsOn", { day: formatDay(endsOn) }) : t("noEnd")}
            </p>
          </li>
        ))}
      </ul>
    </MailboxSection>
  );
}
