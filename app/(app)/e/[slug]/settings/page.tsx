import type { Metadata } from "next";
import { EventHeader } from "#components/event/event-header.tsx";
import { loadEventPageMetadata, type EventPageProps } from "#components/event/event-data.ts";
import { definePage } from "#components/shell/page.tsx";
import { Card } from "#components/ui/card.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { takeRefusedForm } from "#lib/http/form-drafts.ts";
import { fillInConductContact, findConductText } from "#lib/events/conduct-texts.ts";
import { getActorOrRedirectToSignIn, getCurrentLocale, loadPageData } from "#lib/http/page.ts";
import { showEvent, showReportSettings } from "#lib/events/operations.ts";
import { showEvidenceUsage } from "#lib/evidence/operations.ts";
import { useLocale, useTranslator } from "#i18n";
import { ProgressBar } from "#components/ui/progress.tsx";
import { formatFileSize } from "#lib/design/file-size.ts";
import { CodeOfConductForm, ConductStarters } from "./conduct-form.tsx";
import { EventForm } from "./event-form.tsx";
import { EventLogoForm } from "./logo.tsx";
import { ReportSettingsForm } from "./reporters-form.tsx";

export const generateMetadata = async ({ params }: EventPageProps): Promise<Metadata> =>
  loadEventPageMetadata(params, (await getTranslator("eventAdmin"))("settings.title"));

/** Settings of the event's public page and of what its reporters see, for its Admins. */
export default definePage(async function EventSettings({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const actor = await getActorOrRedirectToSignIn();
  const { event } = await loadPageData(showEvent, { slug });
  const { reportSettings } = await loadPageData(showReportSettings, { slug });
  const { usage } = await loadPageData(showEvidenceUsage, { slug });
  const { return: returnKey, conduct } = await searchParams;
  const wanted = typeof conduct === "string" && !event.codeOfConduct ? conduct : undefined;
  const starter = findConductText(wanted, await getCurrentLocale());
  const returned = typeof returnKey === "string" ? await takeRefusedForm(actor.id, returnKey) : null;
  const t = await getTranslator("eventAdmin");
  return (
    <div className="grid gap-6">
      <EventHeader event={event} actor={actor} current="settings" title={t("settings.title")} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid gap-6">
          <Card title={t("settings.event")}>
            <EventForm event={event} />
          </Card>
          <Card title={t("settings.reporters")} id="reporters">
            <ReportSettingsForm slug={slug} settings={reportSettings} />
          </Card>
        </div>
        <div className="grid gap-6">
          <Card title={t("settings.logo")}>
            <EventLogoForm event={event} error={returned?.error} />
          </Card>
          <Card title={t("settings.space")}>
            <EventStorageUsageMeter {...usage} />
          </Card>
        </div>
      </div>
      <Card title={t("settings.codeOfConduct")} id="conduct">
        {!event.codeOfConduct && <ConductStarters slug={slug} isChosen={starter !== undefined} />}
        <CodeOfConductForm event={event} starter={starter && fillInConductContact(starter, slug)} />
      </Card>
    </div>
  );
});

/** The used share of the file storage quota; sizes in bytes. */
function EventStorageUsageMeter({ bytes, quota, files }: { bytes: number; quota: number; files: number }) {
  const t = useTranslator("eventAdmin");
  const locale = useLocale();
  const sizes = { used: formatFileSize(bytes, locale), quota: formatFileSize(quota, locale) };
  return (
    <div className="grid gap-2">
      <ProgressBar label={t("settings.spaceUsed", sizes)} value={bytes} max={quota} />
      <p className="text-sm text-muted">{t("settings.spaceAbout", { count: files })}</p>
    </div>
  );
}
