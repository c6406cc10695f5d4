import { useTranslator } from "#i18n";
import { EmergencyContactsNotice } from "#components/event/emergency-notice.tsx";
import { PublicEventHeader } from "#components/event/public-event-header.tsx";
import { EventTeamContactNotice } from "#components/event/contact-notice.tsx";
import type { PublicEventRecord, EventReportSettingsRecord } from "#components/event/event-data.ts";
import { ReportWithoutAccountLink } from "#components/event/without-account.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";

type Props = { event: PublicEventRecord; settings: EventReportSettingsRecord };

/** Tells somebody who can't report at the event why they can't, and how to reach the team. */
export function CannotReportPage({ event, settings }: Props) {
  const t = useTranslator("report");
  const tVisitor = useTranslator("visitor");
  const isOver = settings.whoCanReport === "account";
  const { hasReader } = settings;
  return (
    <NarrowFrame width="reading" home={`/e/${event.slug}`}>
      <ClientMessagesProvider of={["quickExit"]}>
        <QuickExit to={settings.exitUrl} event={event.slug} />
      </ClientMessagesProvider>
      <div className="grid gap-6">
        <PublicEventHeader
          event={event}
          title={hasReader ? t(isOver ? "overTitle" : "notMember") : tVisitor("notOpen")}
        />
        <div className="grid max-w-[60ch] gap-3 text-lg">
          {hasReader ? <ReasonText event={event} settings={settings} /> : <p>{tVisitor("notOpenWhy")}</p>}
          <EventTeamContactNotice address={event.contactEmail} />
        </div>
        <EmergencyContactsNotice settings={settings} />
        <div>
          <a href={`/e/${event.slug}`} className={buildButtonClass()}>
            {t("backToEvent")}
          </a>
        </div>
      </div>
    </NarrowFrame>
  );
}

function ReasonText({ event: { slug, contactEmail }, settings }: Props) {
  const t = useTranslator("report");
  const tVisitor = useTranslator("visitor");
  const isOver = settings.whoCanReport === "account";
  if (settings.withoutAccount)
    return (
      <>
        <p>{tVisitor(isOver ? "orMembersOver" : "orMembers")}</p>
        <ReportWithoutAccountLink slug={slug} />
      </>
    );
  return (
    <>
      <p>{t(isOver ? "overWhy" : "notMemberWhy")}</p>
      {!isOver && <p>{contactEmail ? t("notMemberAsk", { contact: contactEmail }) : t("notMemberHow")}</p>}
    </>
  );
}
