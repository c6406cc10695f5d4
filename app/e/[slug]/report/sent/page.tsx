import { useTranslator } from "#i18n";
import { EmergencyContactsNotice } from "#components/event/emergency-notice.tsx";
import { ReportHandlingSteps } from "#components/event/handling-steps.tsx";
import {
  loadPublicEventAndSetZone,
  type PublicEventRecord,
  loadEventReportSettingsOfPage,
  type EventReportSettingsRecord,
  type EventPageProps,
} from "#components/event/event-data.ts";
import { NewReportReadersText } from "#components/event/new-report-readers.tsx";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { SentDraftRemover } from "#components/incident/sent-draft-remover.tsx";
import { renderMailboxLink } from "#components/mailbox/mailbox-link.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { circleCheckIcon } from "#lib/design/icons.ts";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { listIncidentReaders } from "#lib/readers/operations.ts";
import { computeDeviceDraftName, WRITER_WITHOUT_ACCOUNT } from "#lib/http/form-drafts.ts";
import { loadOptionalPageData, loadPageData } from "#lib/http/page.ts";
import { showIncident } from "#lib/incidents/operations.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { ReportFrame } from "../report-frame.tsx";

/** Confirms that the report arrived: what happens next, and whom to contact. */
export default definePage(async function ReportSent({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const event = await loadPublicEventAndSetZone(slug);
  const settings = await loadEventReportSettingsOfPage(slug);
  const { supportContact } = await loadPageData(checkSetup);
  const { id } = await searchParams;
  const isNamed = typeof id === "string" && UUID_PATTERN.test(id);
  const sent = isNamed ? await findSentReport(slug, id) : null;
  const urgent = sent?.isUrgent ?? false;
  const emergency = <EmergencyContactsNotice settings={settings} now={urgent} sent />;
  return (
    <ReportFrame slug={slug}>
      <ClientMessagesProvider of={["quickExit"]}>
        <QuickExit to={settings.exitUrl} event={slug} />
      </ClientMessagesProvider>
      {isNamed && <SentDraftRemover draftName={computeDeviceDraftName(WRITER_WITHOUT_ACCOUNT, event.id)} />}
      <div className="grid gap-8">
        {urgent && emergency}
        <Arrival event={event} settings={settings} sent={sent} isNamed={isNamed} />
        <NextLinks slug={slug} incidentId={sent?.id ?? null} />
        <NextSteps settings={settings} sent={sent} />
        <ConversationHint
          contactEmail={sent && !sent.isHidden ? event.contactEmail : null}
          supportContact={supportContact}
        />
        {!urgent && emergency}
      </div>
    </ReportFrame>
  );
}, NarrowFrame);

type SentProps = { settings: EventReportSettingsRecord; sent: Awaited<ReturnType<typeof findSentReport>> };

/** A named report can't be read by a sender who repeats it after leaving the event (contract 7.4). */
function Arrival({
  event,
  settings,
  sent,
  isNamed,
}: SentProps & { event: PublicEventRecord; isNamed: boolean }) {
  const t = useTranslator("report");
  return (
    <div className="grid max-w-[60ch] gap-3">
      <IconWithoutScript of={circleCheckIcon} size={32} className="text-positive" />
      <h1 className="text-2xl sm:text-3xl">{t("sent")}</h1>
      {sent && (
        <p className="text-lg">
          <NewReportReadersText event={event.name} conflictCheck={settings.conflictCheck} {...sent} />
        </p>
      )}
      <p className={sent ? "text-muted" : "text-lg"}>
        {isNamed
          ? t(sent ? "sentNamed" : "sentNamedUnreadable")
          : t.rich("sentAnonymous", { link: renderMailboxLink })}
      </p>
    </div>
  );
}

/** The next steps, unless nobody can take them at present. */
function NextSteps({ settings, sent }: SentProps) {
  const t = useTranslator("report");
  if (sent?.hasReader === false) return null;
  return (
    <section className="grid gap-4 border-t border-line pt-6">
      <h2 className="text-xl">{t("next")}</h2>
      <ReportHandlingSteps
        answerWithinHours={settings.answerWithinHours}
        from="read"
        outsidePerson={sent?.outsidePerson?.name ?? null}
      />
    </section>
  );
}

/** Finds the reporter's own report: whether somebody is in danger, and who can read it. Null if it isn't theirs. */
async function findSentReport(slug: string, incidentId: string) {
  const path = { slug, incidentId };
  const own = await loadOptionalPageData(showIncident, path);
  const hiding = own && (await loadOptionalPageData(listIncidentReaders, path));
  if (!own || !hiding) return null;
  const { hiddenFrom, outsidePerson, hasReader } = hiding;
  return {
    id: incidentId,
    isUrgent: own.incident.severity === "critical",
    isHidden: hiddenFrom.length > 0,
    outsidePerson,
    hasReader,
  };
}

function NextLinks({ slug, incidentId }: { slug: string; incidentId: string | null }) {
  const t = useTranslator("report");
  return (
    <div className="flex flex-wrap gap-3">
      {incidentId && (
        <a href={`/e/${slug}/i/${incidentId}`} className={buildButtonClass("primary")}>
          {t("viewReport")}
        </a>
      )}
      <a href={`/e/${slug}`} className={buildButtonClass()}>
        {t("backToEvent")}
      </a>
    </div>
  );
}

function ConversationHint({
  contactEmail,
  supportContact,
}: {
  /** The team reads this address, so it is no help where the report is about somebody on the team. */
  contactEmail: string | null;
  supportContact: string | null;
}) {
  const t = useTranslator("report");
  return (
    <section className="grid max-w-[60ch] gap-2 border-t border-line pt-6">
      <h2 className="text-xl">{t("talk")}</h2>
      <p>{t("talkTrust")}</p>
      {contactEmail && <p className="wrap-anywhere">{t("talkEvent", { contact: contactEmail })}</p>}
      {supportContact && <p className="wrap-anywhere">{t("talkService", { contact: supportContact })}</p>}
    </section>
  );
}
