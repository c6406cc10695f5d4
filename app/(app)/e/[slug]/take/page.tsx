import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { EmergencyContactsNotice } from "#components/event/emergency-notice.tsx";
import { EventHeader } from "#components/event/event-header.tsx";
import {
  loadPublicEventAndSetZone,
  loadEventReportSettingsOfPage,
  loadResponseTeam,
  loadTeamEventMetadata,
  type EventPageProps,
} from "#components/event/event-data.ts";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { ReportTakingAdviceCard } from "#components/intake/listening-guide.tsx";
import { definePage } from "#components/shell/page.tsx";
import { sealWriterIdAsFormTicket, computeIntakeDraftName, takeRefusedForm } from "#lib/http/form-drafts.ts";
import { getActorOrRedirectToSignIn, throwForbidden } from "#lib/http/page.ts";
import { chooseTimeZoneForEventTimes } from "#lib/design/reader-zone.ts";
import { can } from "#lib/operation/policy.ts";
import { IntakeForm } from "./intake-form.tsx";

export const generateMetadata = ({ params }: EventPageProps): Promise<Metadata> =>
  loadTeamEventMetadata(params);

/** The page where a team member writes down what somebody tells them, with a short script beside the form. */
export default definePage(async function TakeReportPage({ params, searchParams }: EventPageProps) {
  const { slug } = await params;
  const { return: returnKey } = await searchParams;
  const actor = await getActorOrRedirectToSignIn();
  const event = await loadPublicEventAndSetZone(slug);
  if (!can(actor, "intake.take", { eventId: event.id })) throwForbidden();
  const [settings, team] = await Promise.all([loadEventReportSettingsOfPage(slug), loadResponseTeam(slug)]);
  const returned = typeof returnKey === "string" ? await takeRefusedForm(actor.id, returnKey) : null;
  const zone = chooseTimeZoneForEventTimes(null, event.timeZone);
  const t = useTranslator("intake");
  return (
    <div className="grid gap-6">
      <EventHeader
        event={event}
        actor={actor}
        current="incidents"
        title={t("title")}
        meta={<p className="max-w-[60ch]">{t("lead")}</p>}
      />
      <div className="grid items-start gap-6 min-[56rem]:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid gap-6 min-[56rem]:sticky min-[56rem]:top-[calc(var(--offline-notice,0px)+1rem)] min-[56rem]:order-2">
          <ReportTakingAdviceCard />
          <EmergencyContactsNotice settings={settings} />
        </div>
        <ClientMessagesProvider of={["ui"]}>
          <IntakeForm
            slug={slug}
            writer={actor.id}
            draftName={computeIntakeDraftName(actor.id, slug)}
            zone={zone}
            ticket={sealWriterIdAsFormTicket(actor.id)}
            returned={returned}
            asksReportedPerson={settings.conflictCheck}
            team={team.filter(({ id }) => id !== actor.id)}
          />
        </ClientMessagesProvider>
      </div>
    </div>
  );
});
