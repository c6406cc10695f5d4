import { useTranslator } from "#i18n";
import type { PublicEventRecord } from "#components/event/event-data.ts";
import { TitledCallout } from "#components/event/titled-callout.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";

type Props = {
  event: PublicEventRecord;
  /** Whether the writer has a role in the event, so that their report is accepted all the same. */
  isMember: boolean;
  /** How to reach the people who run the service. */
  supportContact: string | null;
};

/** Tells the writer, before the first word, that nobody on the team can read a report at present, and whom to tell. */
export function UnreadNotice({ event, isMember, supportContact }: Props) {
  const t = useTranslator("report");
  const tVisitor = useTranslator("visitor");
  const { name, contactEmail } = event;
  return (
    <TitledCallout title={isMember ? t("unread") : tVisitor("notOpen")}>
      <p>{isMember ? t("unreadWhy", { event: isolateBidi(name) }) : tVisitor("notOpenWhy")}</p>
      {contactEmail && <p className="wrap-anywhere">{t("whoElse", { contact: contactEmail })}</p>}
      {supportContact && <p className="wrap-anywhere">{t("talkService", { contact: supportContact })}</p>}
    </TitledCallout>
  );
}
