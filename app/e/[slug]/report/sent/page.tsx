import { useTranslator } from "#i18n";
import { EmergencyNotice } from "#components/event/emergency-notice.tsx";
import { HandlingSteps } from "#components/event/handling-steps.tsx";
import { loadPublicEvent, type PublicEventRecord, loadReportSettings } from "#components/event/event-data.ts";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { StaticIcon } from "#components/ui/static-icon.tsx";
import { circleCheckIcon } from "#lib/design/icons.ts";
import { ClientMessages } from "#components/i18n/client-messages.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { loadOptionalPageData, loadPageData } from "#lib/http/page.ts";
import { showIncident } from "#lib/incidents/operations.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { ReportFrame } from "../report-frame.tsx";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<SearchParams> };

/** Confirms that the report arrived: what happens next, and whom to contact. */
export default definePage(async function ReportSent({ params, searchParams }: Props) {
  const { slug } = await params;
  const event = await loadPublicEvent(slug);
  const settings = await loadReportSettings(slug);
  const { supportContact } = await loadPageData(checkSetup);
  const t = useTranslator("report");
  const { id } = await searchParams;
  const incidentId = typeof id === "string" && UUID_PATTERN.test(id) ? id : null;
  const urgent = incidentId !== null && (await isUrgent(slug, incidentId));
  const emergency = <EmergencyNotice settings={settings} now={urgent} sent />;
  return (
    <ReportFrame slug={slug}>
      <ClientMessages of={["quickExit"]}>
        <QuickExit to={settings.exitUrl} event={slug} />
      </ClientMessages>
      <div className="grid gap-8">
        {urgent && emergency}
        <div className="grid max-w-[60ch] gap-3">
          <StaticIcon of={circleCheckIcon} size={32} className="text-positive" />
          <h1 className="text-2xl sm:text-3xl">{t("sent")}</h1>
          <p className="text-lg">{t("sentWho", { event: event.name })}</p>
          <p className="text-muted">{t(incidentId ? "sentNamed" : "sentAnonymous")}</p>
        </div>
        <NextLinks slug={slug} incidentId={incidentId} />
        <section className="grid gap-4 border-t border-line pt-6">
          <h2 className="text-xl">{t("next")}</h2>
          <HandlingSteps answerWithinHours={settings.answerWithinHours} from="read" anonymous={!incidentId} />
        </section>
        <ConversationHint event={event} supportContact={supportContact} />
        {!urgent && emergency}
      </div>
    </ReportFrame>
  );
}, NarrowFrame);

/** Returns whether its reporter has said that somebody is in danger. */
async function isUrgent(slug: string, incidentId: string): Promise<boolean> {
  const own = await loadOptionalPageData(showIncident, { slug, incidentId });
  return own?.incident.severity === "critical";
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
  event,
  supportContact,
}: {
  event: PublicEventRecord;
  supportContact: string | null;
}) {
  const t = useTranslator("report");
  const { contactEmail } = event;
  return (
    <section className="grid max-w-[60ch] gap-2 border-t border-line pt-6">
      <h2 className="text-xl">{t("talk")}</h2>
      <p>{t("talkTrust")}</p>
      {contactEmail && <p className="wrap-anywhere">{t("talkEvent", { contact: contactEmail })}</p>}
      {supportContact && <p className="wrap-anywhere">{t("talkService", { contact: supportContact })}</p>}
    </section>
  );
}
